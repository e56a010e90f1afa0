import RallyWire

/// What a channel asks the server for when it is joined.
public struct ChannelConfiguration: Hashable, Sendable {
  /// Shows the caller to the others of the channel.
  public struct Presence: Hashable, Sendable {
    public var key: String
    public var payload: JSONValue

    public init(key: String, payload: JSONValue = [:]) {
      self.key = key
      self.payload = payload
    }
  }

  public var changes: [ChangeBinding]
  public var presence: Presence?

  public init(changes: [ChangeBinding] = [], presence: Presence? = nil) {
    self.changes = changes
    self.presence = presence
  }

  /// The payload of `phx_join`; what is unset is left out, since null means something else.
  func joinPayload(_ token: String) -> JSONValue {
    let bindings = changes.compactMap { try? JSONValue(encoding: $0) }
    return [
      "config": [
        "broadcast": ["ack": false, "self": false],
        "presence": [
          "key": .string(presence?.key ?? ""), "enabled": .bool(presence != nil),
        ],
        "postgres_changes": .array(bindings),
        "private": false,
      ],
      "access_token": .string(token),
    ]
  }
}

/// What happens on a channel.
public enum ChannelEvent: Hashable, Sendable {
  /// From now on everything arrives; what was before must be fetched.
  case live
  /// Something may have been missed; the next `live` says when to fetch.
  case gap
  case change(ChangeEvent)
  case presenceState(JSONValue)
  case presenceDiff(JSONValue)
}
