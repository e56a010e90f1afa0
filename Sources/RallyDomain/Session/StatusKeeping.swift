import RallyState
import RallyWire

/// Keeps the status of a session for `rally status`, while this client acts for the profile.
@MainActor
final class StatusKeeping {
  private let session: RallySession
  private let stores: SharedStores

  init(_ session: RallySession, _ stores: SharedStores) {
    self.session = session
    self.stores = stores
  }

  /// Keeps it for as long as the result is kept, or the stores.
  func observe() -> [AnyObject] {
    if isKeeping { keep(true) }
    return [
      ObservedChanges(of: self.isKeeping) { self.keep($1) },
      ObservedChanges(of: self.status) { _, _ in self.stores.statusKeeper.changed() },
    ]
  }

  private var isKeeping: Bool { !session.isDemo && session.actingClient?.isActing == true }

  /// Without its time, which alone is no change; nil while it is not kept.
  private var status: ClientStatus? {
    isKeeping ? stores.status(of: session, at: WireTime(microseconds: 0)) : nil
  }

  private func keep(_ isKeeping: Bool) {
    guard isKeeping else { return stores.statusKeeper.stop() }
    // The stores own the keeper.
    stores.statusKeeper.start { [weak stores, weak session] in
      session.flatMap { stores?.status(of: $0, at: .now) }
    }
  }
}
