import Observation
import RallySystem

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
