import FoundationEssentials
import RallyWire

/// A pending friend request with the other person's profile.
public struct FriendRequestItem: Hashable, Sendable, Codable, Identifiable {
  public var profile: CommunityProfile
  public var direction: RequestDirection
  public var createdAt: WireTime

  /// The other person's id: there is one pending request per pair.
  public var id: UUID { profile.id }

  public init(profile: CommunityProfile, direction: RequestDirection, createdAt: WireTime) {
    self.profile = profile
    self.direction = direction
    self.createdAt = createdAt
  }
}

/// What the user can do with a pending request.
public enum FriendRequestResponseAction: String, Hashable, Sendable, CaseIterable {
  case accept, decline
  /// Withdraws one's own request.
  case cancel
}
