import Foundation
import RallyWire

/// What a socket joined: its identity, what it listens to, and in whose name.
struct RealtimeChannel: Sendable {
  let id: ChannelID
  let joinRef: String?
  let bindings: [RealtimeBinding]
  let wantsPresence: Bool
  /// The person's id; somebody without an account gets a random key.
  let presenceKey: String
  var claims: AccessClaims
  var token: String?
  /// Whether the join was answered; before that nothing is sent.
  var isLive = false

  var caller: Caller? { Caller(claims) }

  /// The topic without `realtime:`, as system messages name it.
  var name: String { String(id.topic.dropFirst(RealtimeTopic.prefix.count)) }
}

/// `payload` of a join, as far as it is understood; unknown fields are ignored.
struct JoinRequest: Sendable {
  let token: String?
  let isPrivate: Bool
  let wantsPresence: Bool
  let bindings: [[String: JSONValue]]

  init(_ payload: JSONValue) {
    let config = payload["config"]
    token = payload["access_token"]?.string
    isPrivate = JoinRequest.flag(config?["private"]) ?? false
    wantsPresence = JoinRequest.flag(config?["presence"]?["enabled"]) ?? true
    bindings = (config?["postgres_changes"]?.array ?? []).compactMap(\.object)
  }

  /// Some clients write booleans as text.
  private static func flag(_ value: JSONValue?) -> Bool? {
    value?.bool ?? value?.string.flatMap { Bool($0.lowercased()) }
  }
}

/// A reason for refusing a join or ending a channel, in Realtime's form `Code: text`.
struct RealtimeRefusal: Error, Hashable, Sendable {
  let reason: String

  static let topicRequired = RealtimeRefusal(
    reason: "TopicNameRequired: You must provide a topic name")
  static let tooManyChannels = RealtimeRefusal(
    reason: "ChannelRateLimitReached: Too many channels")
  static let privateChannel = RealtimeRefusal(
    reason: "Unauthorized: Private channels are not offered")
  static let signedOut = RealtimeRefusal(
    reason: "Unauthorized: Session from session_id claim in JWT does not exist")
  static let unmatchedTopic = RealtimeRefusal(reason: "unmatched topic")

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
