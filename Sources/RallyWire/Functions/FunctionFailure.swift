/// The body of every refusal under `/rest/v1`: PostgREST's four keys, all always present.
public struct FunctionFailure: Error, Hashable, Sendable, Codable {
  /// A PostgREST code (`PGRST…`) or an SQLSTATE.
  public var code: String
  /// One sentence for a person.
  public var message: String
  public var details: String?
  /// A stable machine word; see `FailureReason`.
  public var hint: String?

  public init(code: String, message: String, details: String? = nil, hint: String? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.hint = hint
  }

  /// A refusal by one of Rally's own rules: `P0001`, HTTP 400, the reason in `hint`.
  public init(_ reason: FailureReason, _ message: String) {
    self.init(code: FunctionFailure.raised, message: message, hint: reason.rawValue)
  }

  /// SQLSTATE of `RAISE EXCEPTION`.
  public static let raised = "P0001"

  /// PostgREST's code for a function that the server does not have.
  public static let unknownFunction = "PGRST202"

  public var isUnknownFunction: Bool { code == Self.unknownFunction }

  public var reason: FailureReason? { hint.flatMap(FailureReason.init(rawValue:)) }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(code, forKey: .code)
    try container.encode(message, forKey: .message)
    try container.encode(details, forKey: .details)
    try container.encode(hint, forKey: .hint)
  }

  enum CodingKeys: String, CodingKey { case code, message, details, hint }
}

/// Why a function refused, as a stable machine word for clients and scripts.
public enum FailureReason: String, Hashable, Sendable, Codable, CaseIterable {
  /// Unknown, or not visible to the caller; the response does not say which.
  case notFound = "not_found"
  /// The person asked for is the caller.
  case yourself
  /// The caller blocked this person and must unblock first.
  case blockedByYou = "blocked_by_you"
  /// The friend request was accepted, declined or withdrawn meanwhile.
  case requestGone = "request_gone"
  case notFriends = "not_friends"
  /// Too many pending requests.
  case tooManyRequests = "too_many_requests"
  case usernameTaken = "username_taken"
  case invalidUsername = "invalid_username"
  case invalidDisplayName = "invalid_display_name"
  case invalidBio = "invalid_bio"
  case invalidArgument = "invalid_argument"
  /// The mission was completed or cancelled, or its time is over.
  case missionOver = "mission_over"
  /// The mission has not started yet.
  case notStarted = "not_started"
  /// The mission has reached its capacity.
  case missionFull = "mission_full"
  /// Only the members of a mission may do this.
  case notMember = "not_member"
  /// Only the creator of a mission may do this.
  case notCreator = "not_creator"
  /// The creator cannot leave; they complete or cancel.
  case creatorStays = "creator_stays"
  /// The caller is a ghost, so nobody would see what they share.
  case ghost
  /// Too far from the place; `details` has the metres as `distance_m=240`.
  case outside
  /// The position is too inaccurate to tell.
  case tooVague = "too_vague"
  /// The invitation has expired, or all its uses are taken.
  case invitationOver = "invitation_over"
  /// A user or a mission has reached a limit; `details` names the budget.
  case budgetReached = "budget_reached"
  /// The same `p_client_id` was used for a different call; HTTP 409.
  case repeatMismatch = "repeat_mismatch"
}
