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

public enum ChannelEvent: Hashable, Sendable {
  /// All changes arrive from now on; earlier ones must be fetched.
  case live
  /// Changes may have been missed; fetch after the next `live`.
  case gap
  case change(ChangeEvent)
  case presenceState(JSONValue)
  case presenceDiff(JSONValue)
}

/// One channel of a connection, as `RealtimeProtocol` holds it: whether it is joined, live or refused.
struct ClientChannel {
  enum Phase: Equatable {
    case unjoined
    case joining(ref: JSONValue, until: Duration)
    case joined
    case refused(until: Duration)
  }

  /// What follows from a message of the server.
  enum Outcome: Equatable {
    /// The join is accepted. The channel is live at once where no change is asked for.
    case joined
    case event(ChannelEvent)
    case refused(reason: String?)
  }

  let topic: String
  let configuration: ChannelConfiguration
  private(set) var phase = Phase.unjoined
  /// The reference of the join that counts; nil while the server has none.
  private(set) var joinRef: JSONValue?
  /// Whether all changes arrive.
  private(set) var isLive = false
  /// How often in a row the server refused or closed it.
  private(set) var refusals = 0

  init(topic: String, _ configuration: ChannelConfiguration) {
    self.topic = topic
    self.configuration = configuration
  }

  /// When it is joined again; nil while nothing is awaited.
  var deadline: Duration? {
    switch phase {
    case .joining(_, let until), .refused(let until): until
    case .unjoined, .joined: nil
    }
  }

  /// The message that joins it. Without a reply by `until` it is joined again.
  mutating func join(with token: String, ref: JSONValue, until: Duration) -> RealtimeMessage {
    phase = .joining(ref: ref, until: until)
    joinRef = ref
    isLive = false
    return RealtimeMessage(
      topic: topic, event: .join, payload: configuration.joinPayload(token), ref: ref, joinRef: ref)
  }

  /// The connection is gone, and the join with it.
  mutating func interrupt() {
    phase = .unjoined
    isLive = false
    joinRef = nil
  }

  /// It is not joined before `until`.
  mutating func refuse(until: Duration) {
    refusals += 1
    isLive = false
    joinRef = nil
    phase = .refused(until: until)
  }

  /// Takes a message about this channel.
  ///
  /// - Returns: nil where nothing follows, as from the reply to a join that was replaced.
  mutating func receive(_ message: RealtimeMessage) -> Outcome? {
    let isOK = message.payload["status"]?.string == "ok"
    switch message.event {
    case .reply:
      guard case .joining(let ref, _) = phase, message.ref == ref else { return nil }
      guard isOK else {
        return .refused(reason: message.payload["response"]?["reason"]?.string)
      }
      phase = .joined
      refusals = 0
      // Without bindings no system message follows: the reply completes the join.
      isLive = configuration.changes.isEmpty
      return .joined
    case .system:
      guard isOK else { return .refused(reason: message.payload["message"]?.string) }
      guard message.payload["extension"]?.string == "postgres_changes" else { return nil }
      isLive = true
      return .event(.live)
    case .close, .error:
      // Replies to a replaced join, or to our own leave, are ignored.
      guard message.ref == nil || message.ref == joinRef else { return nil }
      if case .refused = phase { return nil }
      return .refused(reason: message.payload["reason"]?.string)
    case .postgresChanges:
      let change = message.payload["data"].flatMap { try? $0.decoded(as: ChangeEvent.self) }
      return change.map { .event(.change($0)) }
    case .presenceState: return .event(.presenceState(message.payload))
    case .presenceDiff: return .event(.presenceDiff(message.payload))
    default: return nil
    }
  }

  /// The message that publishes the caller's presence.
  func trackMessage(
    _ presence: ChannelConfiguration.Presence, ref: JSONValue
  ) -> RealtimeMessage {
    RealtimeMessage(
      topic: topic, event: .presence,
      payload: ["type": "presence", "event": "track", "payload": presence.payload],
      ref: ref, joinRef: joinRef)
  }
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
