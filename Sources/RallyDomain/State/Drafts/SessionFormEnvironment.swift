import FoundationEssentials

/// What the forms depend on that sign a person in or up.
public struct SessionFormEnvironment: Sendable {
  let authService: AuthService
  let broadcastStudio: BroadcastStudio

  public init(
    authService: AuthService = .shared, broadcastStudio: BroadcastStudio = .shared
  ) {
    self.authService = authService
    self.broadcastStudio = broadcastStudio
  }
}

extension Reducer where Environment == SessionFormEnvironment {
  /// Broadcasts that another account is signed in; nil does nothing.
  @MainActor func announceAccount(_ userID: UUID?, store: Store<Self>) {
    guard let userID else { return }
    withEnvironment(store: store, keyPath: \.broadcastStudio) {
      broadcast(.accountChanged(userID: userID), through: $0)
    }
  }
}
