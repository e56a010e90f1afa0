import FoundationEssentials

/// A row of `fetch_location_asks`: a friend's question where the caller is, or the caller's own.
public struct LocationAskRecord: Hashable, Sendable, Codable {
  /// The table of questions. Both friends hear of a question, and nobody but the friend who was
  /// asked hears that it was closed.
  public static let table = "location_asks"
  /// After this a question counts no more.
  public static let lifetime = Duration.seconds(1800)
  /// Within this a repeated question to the same friend changes nothing.
  public static let pause = Duration.seconds(600)

  /// The other one.
  public var userID: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  /// `incoming` for what others ask the caller.
  public var direction: RequestDirection
  public var askedAt: WireTime

  public init(
    userID: UUID, username: String, displayName: String, direction: RequestDirection,
    askedAt: WireTime
  ) {
    self.userID = userID
    self.username = username
    self.displayName = displayName
    self.direction = direction
    self.askedAt = askedAt
  }

  enum CodingKeys: String, CodingKey {
    case username, direction
    case userID = "user_id"
    case displayName = "display_name"
    case askedAt = "asked_at"
  }
}
