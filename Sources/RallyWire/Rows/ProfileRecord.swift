import FoundationEssentials

/// A person as others see them.
public struct ProfileRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  @WireText<BioText> public var bio: String
  /// Grows by one with every change of the row.
  public var version: Int64
  public var createdAt: WireTime

  public init(
    id: UUID, username: String, displayName: String, bio: String, version: Int64,
    createdAt: WireTime
  ) {
    self.id = id
    self.username = username
    self.displayName = displayName
    self.bio = bio
    self.version = version
    self.createdAt = createdAt
  }

  enum CodingKeys: String, CodingKey {
    case id, username, bio, version
    case displayName = "display_name"
    case createdAt = "created_at"
  }
}
