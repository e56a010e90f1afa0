import RallyWire

/// A simulated user of the demo.
public struct CastMember: Hashable, Sendable, Identifiable {
  /// Friendship with the visitor when the demo starts.
  public enum Bond: Hashable, Sendable {
    case friend
    /// The visitor has sent them a friend request.
    case asked
    case stranger
  }

  public let username: String
  public let displayName: String
  public let bio: String
  public let bond: Bond
  /// The precision at which they share their location with friends.
  public let sharing: SharingMode
  public let route: Route
  public let battery: Battery

  public var id: String { username }
}
