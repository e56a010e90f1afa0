import Observation
import RallyDomain
import RallyEnvironment
import RallyWire
import TerminalKit

/// Whether this is the client that acts for its profile, of the interfaces that are open.
///
/// The first to be opened is; when it ends, one of the others. It keeps the status for other
/// programs, runs the hooks and opens links.
@MainActor
@Observable
public final class ActingClient {
  public private(set) var isActing = false
  @ObservationIgnored private let lock: ClientLock

  public init(folders: RallyFolders) { lock = ClientLock(folders: folders) }

  /// Waits until it is this client's turn.
  public func waitForTurn() async {
    guard !isActing, await lock.take() else { return }
    isActing = true
  }
}

private struct ActingClientKey: EnvironmentKey {
  static var defaultValue: ActingClient? { nil }
}

extension EnvironmentValues {
  /// Nil in a demo, which acts for nobody.
  public var actingClient: ActingClient? {
    get { self[ActingClientKey.self] }
    set { self[ActingClientKey.self] = newValue }
  }
}

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
      stores.statusKeeper.start { stores.status(of: session, at: .now) }
    }
  }
}

extension View {
  /// Keeps the status of a session for `rally status`.
  func keepsStatus(_ session: RallySession, _ stores: SharedStores) -> some View {
    StatusKeeping(content: AnyView(self), session: session, stores: stores)
  }
}
