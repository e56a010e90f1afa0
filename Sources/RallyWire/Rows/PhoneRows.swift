import FoundationEssentials

/// A phone that may report its owner's position: the result of `add_phone` and a row of
/// `fetch_phones`. Only the owner sees it.
public struct PhoneRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  public var app: PhoneApp
  @WireText<NameText> public var name: String
  public var createdAt: WireTime
  /// When the app last sent something with a valid credential.
  public var lastPostAt: WireTime?
  /// When the newest position that was taken from it was measured.
  public var lastFixAt: WireTime?
  /// Why a position of the phone was refused last, as a short sentence; nil if none was.
  @OptionalWireText<LineText> public var problem: String?
  public var problemAt: WireTime?

  public init(
    id: UUID, app: PhoneApp, name: String, createdAt: WireTime, lastPostAt: WireTime? = nil,
    lastFixAt: WireTime? = nil, problem: String? = nil, problemAt: WireTime? = nil
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.createdAt = createdAt
    self.lastPostAt = lastPostAt
    self.lastFixAt = lastFixAt
    self.problem = problem
    self.problemAt = problemAt
  }

  enum CodingKeys: String, CodingKey {
    case id, app, name, problem
    case createdAt = "created_at"
    case lastPostAt = "last_post_at"
    case lastFixAt = "last_fix_at"
    case problemAt = "problem_at"
  }
}
