import FoundationEssentials
import RallyState
import RallySystem

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

/// What failed while signing out; the user is signed out on this machine all the same.
public enum SignOutProblem: ReportableError, Hashable, Sendable {
  /// Ghost mode could not be sent to the server; it is sent after the next sign-in on this machine.
  case ghostPending
  /// The session could not be ended on the server: whoever has a copy of it can go on with it.
  case sessionLeft

  public var sentence: String {
    switch self {
    case .ghostPending:
      "Signed out, but friends may still see where you were: the server was not reached."
        + " Sign in again to take it back."
    case .sessionLeft:
      "Signed out on this machine, but the server was not reached and still knows this session."
        + " If somebody may have a copy of it, sign in and set a new password: that ends it."
    }
  }
}
