import FoundationEssentials
import RallyState

/// This user's session ended without a sign-out: revoked, expired or banned.
public struct SessionEnded: BroadcastMessage {
  public let id = UUID()
  public let name = "Session Ended"
  public let originatingFrom: any StoreProtocol
  public let userID: UUID?

  public init(originatingFrom: any StoreProtocol, userID: UUID?) {
    self.originatingFrom = originatingFrom
    self.userID = userID
  }
}

/// The user signed in or signed up.
public struct AccountChanged: BroadcastMessage {
  public let id = UUID()
  public let name = "Account Changed"
  public let originatingFrom: any StoreProtocol
  /// Nil after signing out.
  public let userID: UUID?

  public init(originatingFrom: any StoreProtocol, userID: UUID?) {
    self.originatingFrom = originatingFrom
    self.userID = userID
  }
}
