import RallyWire

/// A reason for refusing a join or ending a channel, in Realtime's form `Code: text`.
struct RealtimeRefusal: Error, Hashable, Sendable {
  let reason: String

  static let topicRequired = RealtimeRefusal(
    reason: "TopicNameRequired: You must provide a topic name")
  static let topicTooLong = RealtimeRefusal(
    reason: "InvalidJoinPayload: A topic has at most \(RealtimeRoom.longestTopic) bytes")
  static let tooManyChannels = RealtimeRefusal(
    reason: "ChannelRateLimitReached: Too many channels")
  static let tooManyJoins = RealtimeRefusal(
    reason: "ClientJoinRateLimitReached: Too many joins per second")
  static let referenceTooLong = RealtimeRefusal(
    reason: "InvalidJoinPayload: A reference has at most 255 bytes")
  static let tooManySockets = RealtimeRefusal(
    reason: "ConnectionRateLimitReached: Too many sockets of one person")
  static let tooManyBindingsOfPerson = RealtimeRefusal(
    reason: "ChannelRateLimitReached: Too many postgres_changes bindings")
  static let tooManyInertBindings = RealtimeRefusal(
    reason: "ChannelRateLimitReached: Too many postgres_changes bindings without an account")
  static let signedOut = RealtimeRefusal(
    reason: "Unauthorized: Session from session_id claim in JWT does not exist")
  static let unmatchedTopic = RealtimeRefusal(reason: "unmatched topic")
  static let broadcastTooLarge = RealtimeRefusal(reason: "payload_size_exceeded")
  static let anonymousBroadcast = RealtimeRefusal(
    reason: "Unauthorized: Sign in to send broadcasts")
  static let noEvent = RealtimeRefusal(reason: "InvalidPayload: A broadcast names its event")
  static let notJSON = RealtimeRefusal(reason: "InvalidPayload: The payload is not JSON")
  static let presencePayload = RealtimeRefusal(reason: "Presence track payload must be a map")
  static let presenceEvent = RealtimeRefusal(
    reason: "UnknownPresenceEvent: Use track or untrack")

  static func tooManyBindings(_ limit: Int) -> RealtimeRefusal {
    RealtimeRefusal(
      reason: "InvalidJoinPayload: A channel has at most \(limit) postgres_changes bindings")
  }

  /// The same for a mission that does not exist and for one that is none of the person's business.
  static func noPermission(_ topic: String) -> RealtimeRefusal {
    RealtimeRefusal(
      reason: "Unauthorized: You do not have permissions to read from this Channel topic: "
        + RealtimeRoom.name(topic))
  }

  init(reason: String) { self.reason = reason }

  init(_ problem: TokenProblem) {
    reason =
      switch problem {
      case .malformed: "MalformedJWT: The token provided is not a valid JWT"
      case .badSignature: "JwtSignatureError: Failed to validate JWT signature"
      case .expired(let seconds): "InvalidJWTToken: Token has expired \(seconds) seconds ago"
      }
  }
}
