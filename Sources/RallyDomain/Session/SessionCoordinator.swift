import FoundationEssentials
import RallyClient
import RallyState
import RallyWire

/// Broadcasts the start, the end and the change of the session, and forgets the profiles that the
/// previous user saw.
///
/// It never calls the backend.
@MainActor
public final class SessionCoordinator: StoreProtocol {
  /// The signed-in user; nil for nobody.
  public private(set) var userID: UUID?

  private let profileService: ProfileService
  private let broadcastStudio: BroadcastStudio
  private var following: Task<Void, Never>?

  public init(profileService: ProfileService, broadcastStudio: BroadcastStudio) {
    self.profileService = profileService
    self.broadcastStudio = broadcastStudio
  }

  deinit { following?.cancel() }

  /// Follows the session until `stop`.
  ///
  /// - What: Turns session events into broadcasts.
  /// - How: One task reads the events; a refreshed token changes nothing.
  /// - Why: Stores, drafts and the root view must all learn of it, also from another process.
  /// - Service Calls: `ProfileService.clearCache`
  /// - Parameters:
  ///   - events: Of the session, from now on.
  ///   - userID: Who is signed in now.
  func start(_ events: AsyncStream<SessionEvent>, userID: UUID?) {
    self.userID = userID
    following = Task { [weak self] in
      for await event in events {
        // What came before `stop` may still be in the stream.
        guard !Task.isCancelled else { return }
        self?.receive(event)
      }
    }
  }

  func stop() {
    following?.cancel()
    following = nil
  }

  private func receive(_ event: SessionEvent) {
    switch event {
    case .refreshed: return
    case .ended(.signedOut):
      broadcastStudio.broadcast(AccountChanged(originatingFrom: self, userID: nil))
    case .ended(.refused):
      broadcastStudio.broadcast(SessionEnded(originatingFrom: self, userID: userID))
    case .signedIn(let id), .accountChanged(let id):
      userID = id
      broadcastStudio.broadcast(AccountChanged(originatingFrom: self, userID: id))
    }
    profileService.clearCache()
  }
}
