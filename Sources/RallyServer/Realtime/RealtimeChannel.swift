import Foundation
import RallyWire

/// What a socket joined: its identity, what it listens to, and in whose name.
struct RealtimeChannel: Sendable {
  let id: ChannelID
  let room: RealtimeRoom
  let joinRef: String?
  /// What it asked for, until somebody with an account stands behind it.
  var declared: DeclaredBindings?
  /// What it hears of.
  var bindings: [RealtimeBinding] = []
  let acknowledgesBroadcasts: Bool
  let hearsItself: Bool
  /// Whether it is told who is present. Tracking oneself asks for it, too.
  var wantsPresence: Bool
  /// Under what others see it present.
  let presenceKey: String
  /// The person's id; for somebody without an account a random one.
  let person: String
  var claims: AccessClaims
  var token: String?
  /// Calls of `track` and `untrack`.
  var presencePace: Pace
  /// Whether the join was answered; before that nothing is sent.
  var isLive = false

  init(
    id: ChannelID, room: RealtimeRoom, joinRef: String?, request: JoinRequest,
    declared: DeclaredBindings, claims: AccessClaims, presenceCalls: Int
  ) {
    self.id = id
    self.room = room
    self.joinRef = joinRef
    self.declared = declared
    self.claims = claims
    // An opaque key stands for the connection's own, and may be of any length.
    token = claims.subject == nil ? nil : request.token
    acknowledgesBroadcasts = request.acknowledgesBroadcasts
    hearsItself = request.hearsItself
    wantsPresence = request.wantsPresence ?? (room.kind == .presence)
    let person = Caller(claims)?.userID ?? UUID().wireText
    self.person = person
    // Among friends everybody stands under their own id, so that nobody can pass for another.
    presenceKey =
      room.kind == .presence
      ? person : request.presenceKey.isEmpty ? UUID().wireText : request.presenceKey
    presencePace = Pace(Double(presenceCalls) / 30, burst: presenceCalls)
  }

  var caller: Caller? { Caller(claims) }

  /// The topic without `realtime:`, as system messages name it.
  var name: String { RealtimeRoom.name(id.topic) }
}

/// `payload` of a join, as far as it is understood; unknown fields are ignored.
struct JoinRequest: Sendable {
  let token: String?
  let isPrivate: Bool
  let acknowledgesBroadcasts: Bool
  let hearsItself: Bool
  /// nil when nothing is said about it.
  let wantsPresence: Bool?
  let presenceKey: String
  let bindings: [[String: JSONValue]]

  /// Scalars of a presence key; of longer ones the beginning counts.
  private static let longestKey = 255
  /// Bytes of a reference; a binary frame has room for no more.
  private static let longestReference = 255

  init(_ payload: JSONValue) {
    let config = payload["config"]
    token = payload["access_token"]?.string ?? payload["user_token"]?.string
    isPrivate = JoinRequest.flag(config?["private"]) ?? false
    acknowledgesBroadcasts = JoinRequest.flag(config?["broadcast"]?["ack"]) ?? false
    hearsItself = JoinRequest.flag(config?["broadcast"]?["self"]) ?? false
    wantsPresence = JoinRequest.flag(config?["presence"]?["enabled"])
    presenceKey = String(
      String.UnicodeScalarView(
        (config?["presence"]?["key"]?.string ?? "").unicodeScalars.prefix(JoinRequest.longestKey)))
    bindings = (config?["postgres_changes"]?.array ?? []).compactMap(\.object)
  }

  /// Whether the references of a join are short enough to be kept.
  func isBounded(_ message: RealtimeMessage) -> Bool {
    [message.ref, message.joinRef].allSatisfy {
      $0?.utf8.count ?? 0 <= JoinRequest.longestReference
    }
  }

  /// Some clients write booleans as text.
  private static func flag(_ value: JSONValue?) -> Bool? {
    value?.bool ?? value?.string.flatMap { Bool($0.lowercased()) }
  }
}
