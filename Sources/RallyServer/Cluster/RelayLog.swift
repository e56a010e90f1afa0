import Foundation
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// A broadcast to the channels of a topic, of this server and of others.
struct Broadcast: Sendable {
  let topic: String
  let sender: String
  let event: String
  let body: BroadcastBody
}

/// The payload of a broadcast.
enum BroadcastBody: Hashable, Sendable {
  case json(JSONValue)
  /// Only for version 2.0.0; version 1.0.0 cannot represent it.
  case binary([UInt8])
  /// Invalid JSON; not delivered.
  case unreadable

  /// Bytes on the wire.
  var size: Int {
    switch self {
    case .json(let value): JSONWriter.bytes(of: value).count
    case .binary(let data): data.count
    case .unreadable: 0
    }
  }
}

/// An entry of `relays`.
struct Relay: Sendable {
  enum Content: Sendable {
    case presence(PresenceChange)
    case broadcast(Broadcast)
    case keys
  }

  let position: ChangePosition
  /// The server that it is about.
  let node: String
  /// nil for a kind that a newer version wrote.
  let content: Content?
}

/// The table `relays`: what servers on one database send each other, in the order of their commits,
/// as `ChangeLog` explains. PostgreSQL only.
enum RelayLog {
  static func append(_ change: PresenceChange, at time: WireTime, to database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO relays (node, kind, channel, topic, person, at) VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        change.channel.node, RelayKind.presence.rawValue, change.channel.number, change.topic,
        change.person, time,
      ])
  }

  /// Tells that every row of a server in `presence` changed.
  static func appendPresence(of node: String, at time: WireTime, to database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO relays (node, kind, channel, topic, person, at)
        SELECT p.node, :kind, p.channel, p.topic, p.person, :at FROM presence p
        WHERE p.node = :node
        """,
      arguments: ["kind": RelayKind.presence.rawValue, "at": time, "node": node])
  }

  static func append(
    _ broadcast: Broadcast, of node: String, at time: WireTime, to database: Database
  ) throws {
    guard let body = RelayedBody(broadcast) else { return }
    try database.execute(
      sql: """
        INSERT INTO relays (node, kind, topic, person, body, at) VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        node, RelayKind.broadcast.rawValue, broadcast.topic, broadcast.sender,
        JSONWriter.text(of: body.json), time,
      ])
  }

  /// Entries in their order; those of `node` itself have no body.
  static func entries(
    after position: ChangePosition, limit: Int, reader node: String, from database: Database
  ) throws -> [Relay] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT r.tx, r.seq, r.node, r.kind, r.channel, r.topic, r.person,
          CASE WHEN r.node = :node THEN NULL ELSE r.body END AS body,
          p.key, p.reference, p.previous, p.payload
        FROM relays r
        LEFT JOIN presence p ON p.node = r.node AND p.channel = r.channel AND r.node <> :node
        WHERE (r.tx, r.seq) > (:transaction, :sequence) AND r.tx < \(ChangeLog.horizon)
        ORDER BY r.tx, r.seq LIMIT :limit
        """,
      arguments: [
        "node": node, "transaction": position.transaction, "sequence": position.sequence,
        "limit": limit,
      ]
    ).map { row in
      Relay(
        position: ChangePosition(transaction: try row["tx"], sequence: try row["seq"]),
        node: try row["node"], content: try content(of: row))
    }
  }

  private static func content(of row: Row) throws -> Relay.Content? {
    switch RelayKind(rawValue: try row["kind"]) {
    case .presence:
      let channel = RemoteChannel(node: try row["node"], number: try row["channel"])
      let (topic, person): (String, String) = (try row["topic"], try row["person"])
      let payload: String? = try row["payload"]
      return .presence(
        PresenceChange(
          channel: channel, topic: topic, person: person,
          entry: payload == nil ? nil : try PresenceRecords.entry(row)))
    case .broadcast:
      guard let text: String = try row["body"],
        let body = RelayedBody(text: text)
      else { return nil }
      return .broadcast(body.broadcast(in: try row["topic"], from: try row["person"]))
    case .keys: return .keys
    case nil: return nil
    }
  }

  /// - Returns: Whether there may be more than `limit`.
  static func trim(before time: WireTime, limit: Int, in database: Database) throws -> Bool {
    try ChangeLog.trim("relays", before: time, limit: limit, in: database)
  }
}

/// The event and payload of a broadcast in `relays.body`.
private struct RelayedBody {
  private let event: String
  private let body: BroadcastBody

  /// nil for one that is not delivered.
  init?(_ broadcast: Broadcast) {
    guard broadcast.body != .unreadable else { return nil }
    event = broadcast.event
    body = broadcast.body
  }

  init?(text: String) {
    guard let value = try? JSONReader.value(of: text.utf8), let event = value["event"]?.string
    else { return nil }
    self.event = event
    body =
      value["binary"]?.string.flatMap(Base64URL.decode).map(BroadcastBody.binary)
      ?? .json(value["json"] ?? .null)
  }

  /// A payload of bytes is base64 for URLs.
  var json: JSONValue {
    var members: [String: JSONValue] = ["event": .string(event)]
    switch body {
    case .json(let value): members["json"] = value
    case .binary(let bytes): members["binary"] = .string(Base64URL.encode(bytes))
    case .unreadable: break
    }
    return .object(members)
  }

  func broadcast(in topic: String, from sender: String) -> Broadcast {
    Broadcast(topic: topic, sender: sender, event: event, body: body)
  }
}
