import FoundationEssentials
import RallyClient
import RallyState

/// What the forms depend on that sign a person in or up.
public struct SessionFormEnvironment: Sendable {
  let authService: AuthService
  let serverHealthService: ServerHealthService
  let broadcastStudio: BroadcastStudio

  public init(
    authService: AuthService, serverHealthService: ServerHealthService,
    broadcastStudio: BroadcastStudio = .shared
  ) {
    self.authService = authService
    self.serverHealthService = serverHealthService
    self.broadcastStudio = broadcastStudio
  }

  /// Who is signed in, where the session could not be kept: it holds as long as the program runs,
  /// and `AuthService.unkeptSession` says why.
  func signedInUserID() async throws(DraftFailure) -> UUID {
    guard let userID = await authService.currentUserID else { throw DraftFailure(.signedOut) }
    return userID
  }
}

extension Reducer where Environment == SessionFormEnvironment {
  /// Broadcasts that another account is signed in; nil does nothing.
  @MainActor func announceAccount(_ userID: UUID?, store: Store<Self>) {
    guard let userID else { return }
    withEnvironment(store: store, keyPath: \.broadcastStudio) {
      broadcast(AccountChanged(originatingFrom: store, userID: userID), through: $0)
    }
  }
}
