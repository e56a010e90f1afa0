import FoundationEssentials
import RallyText
import RallyWire

/// What a channel requests from the server when it is joined.
public struct ChannelConfiguration: Hashable, Sendable {
  /// Publishes the caller's presence to the channel.
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

  /// The payload of `phx_join`; unset keys are omitted, since null has another meaning.
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

/// An event of a channel.
public enum ChannelEvent: Hashable, Sendable {
  /// All changes arrive from now on; earlier ones must be fetched.
  case live
  /// Changes may have been missed; fetch after the next `live`.
  case gap
  case change(ChangeEvent)
  case presenceState(JSONValue)
  case presenceDiff(JSONValue)
}

/// An event of one feature's channel.
public enum RealtimeUpdate<Change: Hashable & Sendable>: Hashable, Sendable {
  /// Changes arrive from now on; earlier ones must be fetched (after the first join and every gap).
  case live
  /// The connection is lost: changes may be missed until the next `live`.
  case interrupted
  case changed(Change)
}

extension AsyncStream<ChannelEvent> {
  /// The events of one feature, until the channel ends or the reader's task is cancelled.
  ///
  /// - Parameter read: Decodes one change of a row.
  package func events<Change>(
    _ read: @escaping @Sendable (ChangeEvent) -> Change
  ) -> AsyncStream<RealtimeUpdate<Change>> {
    AsyncStream<RealtimeUpdate<Change>> { continuation in
      let task = Task {
        for await event in self {
          switch event {
          case .live: continuation.yield(.live)
          case .gap: continuation.yield(.interrupted)
          case .change(let change): continuation.yield(.changed(read(change)))
          case .presenceState, .presenceDiff: break
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
