import RallyRules
import RallyStorage
import RallyWire

/// A reason for refusing a join or ending a channel, in Realtime's form `Code: text`.
struct RealtimeRefusal: Error, Hashable, Sendable {
  let reason: String

  static let topicRequired = Self(reason: "TopicNameRequired: You must provide a topic name")
  static let topicTooLong = Self(
    reason: "InvalidJoinPayload: A topic has at most \(TopicAccess.longestTopic) bytes")
  static let tooManyChannels = Self(reason: "ChannelRateLimitReached: Too many channels")
  static let tooManyJoins = Self(reason: "ClientJoinRateLimitReached: Too many joins per second")
  static let referenceTooLong = Self(
    reason: "InvalidJoinPayload: A reference has at most 255 bytes")
  static let tooManySockets = Self(
    reason: "ConnectionRateLimitReached: Too many sockets of one person")
  static let tooManyBindingsOfPerson = Self(
    reason: "ChannelRateLimitReached: Too many postgres_changes bindings")
  static let tooManyInertBindings = Self(
    reason: "ChannelRateLimitReached: Too many postgres_changes bindings without an account")
  static let signedOut = Self(
    reason: "Unauthorized: Session from session_id claim in JWT does not exist")
  static let unmatchedTopic = Self(reason: "unmatched topic")
  static let broadcastTooLarge = Self(reason: "payload_size_exceeded")
  static let anonymousBroadcast = Self(reason: "Unauthorized: Sign in to send broadcasts")
  static let noEvent = Self(reason: "InvalidPayload: A broadcast names its event")
  static let notJSON = Self(reason: "InvalidPayload: The payload is not JSON")
  static let presencePayload = Self(reason: "Presence track payload must be a map")
  static let presenceEvent = Self(reason: "UnknownPresenceEvent: Use track or untrack")

  static func tooManyBindings(_ limit: Int) -> RealtimeRefusal {
    RealtimeRefusal(
      reason: "InvalidJoinPayload: A channel has at most \(limit) postgres_changes bindings")
  }

  /// The same for unknown missions and for those of which the user is no member.
  static func noPermission(_ topic: String) -> RealtimeRefusal {
    RealtimeRefusal(
      reason: "Unauthorized: You do not have permissions to read from this Channel topic: "
        + TopicAccess.name(topic))
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
