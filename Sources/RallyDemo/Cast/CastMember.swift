import RallyWire

/// One of the invented people.
public struct CastMember: Hashable, Sendable, Identifiable {
  /// How they know the visitor when the demo begins.
  public enum Bond: Hashable, Sendable {
    case friend
    /// The visitor has asked them.
    case asked
    case stranger
  }

  public let username: String
  public let displayName: String
  public let bio: String
  public let bond: Bond
  /// How much their friends may see.
  public let sharing: SharingMode
  public let route: Route
  public let battery: Battery

  public var id: String { username }
}
