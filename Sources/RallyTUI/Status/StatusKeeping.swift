import RallyDomain
import RallyWire
import TerminalKit

/// Keeps the status file while this client acts for the profile.
private struct StatusKeeping: View {
  let content: AnyView
  let session: RallySession
  let stores: SharedStores

  @State private var status: BoxedState<ClientStatus?>
  @Environment(\.actingClient) private var actingClient
  @Environment(\.demoStatus) private var demoStatus

  init(content: AnyView, session: RallySession, stores: SharedStores) {
    self.content = content
    self.session = session
    self.stores = stores
    _status = State(
      wrappedValue: BoxedState { stores.status(of: session, at: WireTime(microseconds: 0)) })
  }

  var body: some View {
    let isKeeping = demoStatus == nil && actingClient?.isActing == true
    content.onChanges(
      ChangeObserver(status.value) { _, _ in stores.statusKeeper.changed() }
    )
    .task(id: isKeeping) {
      guard isKeeping else { return stores.statusKeeper.stop() }
      // The stores own the keeper.
      stores.statusKeeper.start { [weak stores, weak session] in
        session.flatMap { stores?.status(of: $0, at: .now) }
      }
    }
  }
}

extension View {
  /// Keeps the status of a session for `rally status`.
  func keepsStatus(_ session: RallySession, _ stores: SharedStores) -> some View {
    StatusKeeping(content: AnyView(self), session: session, stores: stores)
  }
}
