import Foundation
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// A joined topic of a socket: its bindings and its user.
struct RealtimeChannel: Sendable {
  let id: ChannelID
  let access: TopicAccess
  let joinRef: JSONValue?
  /// The requested bindings, kept as text while the channel has no signed-in user.
  var declared: DeclaredBindings?
  var bindings: [RealtimeBinding] = []
  let acknowledgesBroadcasts: Bool
  let receivesOwnBroadcasts: Bool
  /// Whether the channel receives presence; `track` enables it, too.
  var wantsPresence: Bool
  let presenceKey: String
  /// The user's id; random without a signed-in user.
  let person: String
  var claims: AccessClaims
  var token: String?
  var presencePace: Pace
  /// Whether the join was answered; nothing is sent before.
  var isLive = false

  init(
    id: ChannelID, access: TopicAccess, joinRef: JSONValue?, request: JoinRequest,
    declared: DeclaredBindings, claims: AccessClaims, presenceCalls: Int
  ) {
    self.id = id
    self.access = access
    self.joinRef = joinRef
    self.declared = declared
    self.claims = claims
    // An opaque API key is not kept, since it may have any length.
    token = claims.subject == nil ? nil : request.token
    acknowledgesBroadcasts = request.acknowledgesBroadcasts
    receivesOwnBroadcasts = request.receivesOwnBroadcasts
    wantsPresence = request.wantsPresence ?? (access.kind == .presence)
    let person = Caller(claims)?.userID ?? UUID().wireText
    self.person = person
    // In the presence topic the key is the user's id, so that nobody can impersonate another.
    presenceKey =
      access.kind == .presence
      ? person : request.presenceKey.isEmpty ? UUID().wireText : request.presenceKey
    presencePace = Pace(Double(presenceCalls) / 30, burst: presenceCalls)
  }

  var caller: Caller? { Caller(claims) }

  /// The topic without `realtime:`, as system messages name it.
  var name: String { TopicAccess.name(id.topic) }
}

/// `payload` of a join, as far as it is understood; unknown fields are ignored.
struct JoinRequest: Sendable {
  let token: String?
  let isPrivate: Bool
  let acknowledgesBroadcasts: Bool
  let receivesOwnBroadcasts: Bool
  /// nil when nothing is said about it.
  let wantsPresence: Bool?
  let presenceKey: String
  let bindings: [[String: JSONValue]]

  /// Maximum scalars of a presence key; longer ones are truncated.
  private static let longestKey = 255
  /// Bytes of a reference; a binary frame has room for no more.
  private static let longestReference = 255

  init(_ payload: JSONValue) {
    let config = payload["config"]
    token = payload["access_token"]?.string ?? payload["user_token"]?.string
    isPrivate = JoinRequest.flag(config?["private"]) ?? false
    acknowledgesBroadcasts = JoinRequest.flag(config?["broadcast"]?["ack"]) ?? false
    receivesOwnBroadcasts = JoinRequest.flag(config?["broadcast"]?["self"]) ?? false
    wantsPresence = JoinRequest.flag(config?["presence"]?["enabled"])
    presenceKey = String(
      String.UnicodeScalarView(
        (config?["presence"]?["key"]?.string ?? "").unicodeScalars.prefix(JoinRequest.longestKey)))
    bindings = (config?["postgres_changes"]?.array ?? []).compactMap(\.object)
  }

  /// Whether the references of a join are short enough to be kept.
  func isBounded(_ message: RealtimeMessage) -> Bool {
    [message.ref, message.joinRef].allSatisfy { reference in
      guard let reference else { return true }
      return reference.referenceText.map { $0.utf8.count <= JoinRequest.longestReference } ?? false
    }
  }

  /// Some clients write booleans as text.
  private static func flag(_ value: JSONValue?) -> Bool? {
    value?.bool ?? value?.string.flatMap { Bool($0.lowercased()) }
  }
}

/// Identifies one join of a topic by a socket; joining again makes a new id.
struct ChannelID: Hashable, Sendable {
  let socket: Int
  let topic: String
  let generation: Int

  /// As other servers name it.
  func remote(on node: String) -> RemoteChannel {
    RemoteChannel(node: node, number: Int64(generation))
  }
}

/// An active `postgres_changes` binding of a channel, with its id.
struct RealtimeBinding: Sendable {
  /// Never 0: clients take that for unset.
  let id: Int64
  let pattern: ChangePattern
}

extension ChangeEvent {
  /// The event reduced to the selected columns. The old key stays complete, since it identifies the
  /// row.
  func selecting(_ names: Set<String>?) -> ChangeEvent {
    guard let names else { return self }
    var event = self
    event.columns = columns.filter { names.contains($0.name) }
    event.record = record?.filter { names.contains($0.key) }
    return event
  }
}

/// The `postgres_changes` entries of a join as text, not parsed yet.
///
/// They are parsed into patterns, which cost many times the memory, once the channel has a
/// signed-in user.
struct DeclaredBindings: Sendable {
  /// Bytes that count as one entry.
  private static let unit = 256

  private let text: [UInt8]
  private let count: Int
  private let firstID: Int64

  /// - Parameter firstID: The id of the first entry; the others follow.
  init(_ entries: [[String: JSONValue]], firstID: Int64) {
    text = JSONWriter.bytes(of: .array(entries.map(JSONValue.object)))
    count = entries.count
    self.firstID = firstID
  }

  /// Bytes that they occupy.
  var size: Int { text.count }
  /// How many ordinary entries they are worth: one with a long filter is worth several.
  var weight: Int { max(count, (size + DeclaredBindings.unit - 1) / DeclaredBindings.unit) }

  /// Each entry with its id, in the order in which they came.
  var entries: [(id: Int64, json: [String: JSONValue])] {
    let entries = (try? WireJSON.value(of: text).array)?.compactMap(\.object) ?? []
    return entries.enumerated().map { (firstID + Int64($0.offset), $0.element) }
  }

  /// What a join is answered: each entry verbatim with its id.
  var echo: JSONValue {
    .array(entries.map { .object($0.json.merging(["id": .integer($0.id)]) { _, id in id }) })
  }
}

/// A realtime topic and its access rules.
///
/// A mission's topic is for its members, whether or not the client calls it private. There are no
/// other private topics. Everybody may listen to changes on all other topics, and signed-in users
/// may broadcast there. Users who block each other do not receive each other's broadcasts.
struct TopicAccess: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case open
    /// The presence of friends, by user id.
    case presence
    /// For those who joined the mission with this id.
    case mission(String)
  }

  static let missionPrefix = "realtime:mission:"
  /// Bytes: a binary frame has one byte for the topic's length.
  static let longestTopic = 255

  let topic: String
  let kind: Kind

  /// - Throws: `RealtimeRefusal` if nobody can join such a topic; unknown missions are refused
  ///   later, with the same text.
  init(topic: String, isPrivate: Bool) throws(RealtimeRefusal) {
    guard topic.hasPrefix(RealtimeTopic.prefix), topic != RealtimeTopic.prefix else {
      throw .topicRequired
    }
    guard topic.utf8.count <= TopicAccess.longestTopic else { throw .topicTooLong }
    self.topic = topic
    if topic.hasPrefix(TopicAccess.missionPrefix) {
      let id = String(topic.dropFirst(TopicAccess.missionPrefix.count))
      // Only the canonical form of the id names the topic.
      guard UUID(wireText: id)?.wireText == id else { throw .noPermission(topic) }
      kind = .mission(id)
    } else if isPrivate {
      throw .noPermission(topic)
    } else {
      kind = topic == RealtimeTopic.presence ? .presence : .open
    }
  }

  var missionID: String? { if case .mission(let id) = kind { id } else { nil } }

  /// Whether a person may join: a mission's topic is for its members.
  ///
  /// - Parameter person: nil for somebody who is not signed in.
  func admits(_ person: String?, in database: Database) throws -> Bool {
    guard let missionID else { return true }
    guard let person else { return false }
    return try MissionMemberRecords.hasJoined(person, missionID, in: database)
  }

  /// The topic without `realtime:`, as system messages name it.
  static func name(_ topic: String) -> String {
    topic.hasPrefix(RealtimeTopic.prefix)
      ? String(topic.dropFirst(RealtimeTopic.prefix.count)) : topic
  }
}

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
