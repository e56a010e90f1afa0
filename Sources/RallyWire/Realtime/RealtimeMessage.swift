import RallyText

/// A frame of Supabase Realtime, serializer 1.0.0: a JSON object with topic, event, payload, ref.
///
/// A server frame always carries `ref`, even as null, and never `join_ref`: the official Python
/// client drops frames that differ. References are the client's own: whatever it sent is sent back,
/// as some clients count with numbers.
public struct RealtimeMessage: Hashable, Sendable, Encodable {
  public var joinRef: JSONValue?
  public var ref: JSONValue?
  public var topic: String
  public var event: RealtimeEvent
  public var payload: JSONValue

  public init(
    topic: String, event: RealtimeEvent, payload: JSONValue = [:], ref: JSONValue? = nil,
    joinRef: JSONValue? = nil
  ) {
    self.joinRef = joinRef
    self.ref = ref
    self.topic = topic
    self.event = event
    self.payload = payload
  }

  enum CodingKeys: String, CodingKey {
    case topic, event, payload, ref
    case joinRef = "join_ref"
  }

  /// - Parameter limit: How many values the frame may have.
  /// - Returns: nil for text that is no such frame.
  public init?(text: String, atMost limit: Int = .max) {
    guard let json = try? JSONReader.value(of: text.utf8, atMost: limit),
      let topic = json[CodingKeys.topic.rawValue]?.string,
      let event = json[CodingKeys.event.rawValue]?.string
    else { return nil }
    func given(_ key: CodingKeys) -> JSONValue? { json[key.rawValue]?.unlessNull }
    self.init(
      topic: topic, event: RealtimeEvent(rawValue: event), payload: given(.payload) ?? [:],
      ref: given(.ref), joinRef: given(.joinRef))
  }

  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

  public var json: JSONValue {
    var members: [String: JSONValue] = [
      CodingKeys.topic.rawValue: .string(topic), CodingKeys.event.rawValue: .string(event.rawValue),
      CodingKeys.payload.rawValue: payload, CodingKeys.ref.rawValue: ref ?? .null,
    ]
    members[CodingKeys.joinRef.rawValue] = joinRef
    return .object(members)
  }
}

extension JSONValue {
  /// A reference as text, as binary frames have it; nil for what is neither text nor a number.
  public var referenceText: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .null, .bool, .array, .object: nil
    }
  }
}

/// The event names of Phoenix and of Supabase Realtime.
public struct RealtimeEvent: RawRepresentable, Hashable, Sendable, Codable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let heartbeat = Self(rawValue: "heartbeat")
  public static let join = Self(rawValue: "phx_join")
  public static let leave = Self(rawValue: "phx_leave")
  public static let reply = Self(rawValue: "phx_reply")
  public static let close = Self(rawValue: "phx_close")
  public static let error = Self(rawValue: "phx_error")
  public static let system = Self(rawValue: "system")
  public static let accessToken = Self(rawValue: "access_token")
  public static let broadcast = Self(rawValue: "broadcast")
  public static let presence = Self(rawValue: "presence")
  public static let presenceState = Self(rawValue: "presence_state")
  public static let presenceDiff = Self(rawValue: "presence_diff")
  public static let postgresChanges = Self(rawValue: "postgres_changes")
}

/// Topic names that the client and the server share.
public enum RealtimeTopic {
  public static let path = "/realtime/v1/websocket"
  /// The topic of heartbeats.
  public static let phoenix = "phoenix"
  public static let prefix = "realtime:"
  public static let presence = "realtime:presence"
  /// The client's channel for its friendships.
  public static let friendships = "realtime:friendships"
  /// The client's channel for its friends' positions.
  public static let locations = "realtime:locations"
  /// The client's channel for its own sharing decisions and its own position.
  public static let sharing = "realtime:sharing"
  /// The client's channel for missions, their members and their activity.
  public static let missions = "realtime:missions"
  /// Changes committed before this system message may be missed.
  public static let subscribedMessage = "Subscribed to PostgreSQL"
}

/// One binding of a join: the table, the events and the filter that a channel subscribes to.
///
/// Null is not the same as missing on the hosted service, so nil is left out.
public struct ChangeBinding: Hashable, Sendable, Codable {
  public var event: String
  public var schema: String
  public var table: String?
  public var filter: String?
  /// Whether events bring what their reader would fetch after them (`ChangeEvent.embedded`); a server
  /// without it ignores the request.
  public var embed: Bool?

  public init(
    event: String = "*", schema: String = "public", table: String?, filter: String? = nil,
    embed: Bool? = nil
  ) {
    self.event = event
    self.schema = schema
    self.table = table
    self.filter = filter
    self.embed = embed
  }
}

/// `payload.data` of a `postgres_changes` event.
public struct ChangeEvent: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable {
    case insert = "INSERT", update = "UPDATE", delete = "DELETE"
  }

  public struct Column: Hashable, Sendable, Codable {
    public var name: String
    /// A PostgreSQL type name such as `uuid`, `text`, `int8`, `timestamptz`.
    public var type: String

    public init(name: String, type: String) {
      self.name = name
      self.type = type
    }
  }

  public var schema: String
  public var table: String
  public var type: Kind
  /// RFC 3339 with `Z`.
  public var commitTimestamp: String
  public var columns: [Column]
  /// The new row; absent for a delete.
  public var record: [String: JSONValue]?
  /// The key of the old row; absent for an insert.
  public var oldRecord: [String: JSONValue]?
  public var errors: [String]?
  /// What the reader would fetch after the event, for a binding with `embed`: an `EmbeddedRelation` or
  /// an `EmbeddedMission`.
  public var embedded: JSONValue?

  public init(
    schema: String = "public", table: String, type: Kind, commitTimestamp: String,
    columns: [Column], record: [String: JSONValue]?, oldRecord: [String: JSONValue]?,
    errors: [String]? = nil, embedded: JSONValue? = nil
  ) {
    self.schema = schema
    self.table = table
    self.type = type
    self.commitTimestamp = commitTimestamp
    self.columns = columns
    self.record = record
    self.oldRecord = oldRecord
    self.errors = errors
    self.embedded = embedded
  }

  enum CodingKeys: String, CodingKey {
    case schema, table, type, columns, record, errors, embedded
    case commitTimestamp = "commit_timestamp"
    case oldRecord = "old_record"
  }

  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

  public var json: JSONValue {
    func key(_ key: CodingKeys) -> String { key.stringValue }
    var members: [String: JSONValue] = [
      key(.schema): .string(schema), key(.table): .string(table),
      key(.type): .string(type.rawValue),
      key(.commitTimestamp): .string(commitTimestamp),
      key(.columns): .array(columns.map { ["name": .string($0.name), "type": .string($0.type)] }),
      key(.errors): errors.map { .array($0.map(JSONValue.string)) } ?? .null,
    ]
    members[key(.record)] = record.map(JSONValue.object)
    members[key(.oldRecord)] = oldRecord.map(JSONValue.object)
    members[key(.embedded)] = embedded
    return .object(members)
  }
}
