import RallyRules
import RallyText
import RallyWire

// Sending messages to sockets.
extension RealtimeHub {
  func push(_ event: RealtimeEvent, _ payload: JSONValue, on channel: RealtimeChannel) {
    connections[channel.id.socket]?.outbox.send(
      RealtimeMessage(topic: channel.id.topic, event: event, payload: payload))
  }

  func pushSystem(
    _ message: String, isError: Bool, about: String, on channel: RealtimeChannel
  ) {
    push(
      .system,
      [
        "channel": .string(channel.name), "extension": .string(about),
        "message": .string(message), "status": isError ? "error" : "ok",
      ], on: channel)
  }

  /// Sends a reply or a close, which carry the join's reference in the second serializer.
  func send(_ message: RealtimeMessage, on channel: RealtimeChannel) {
    var message = message
    message.topic = channel.id.topic
    message.joinRef = channel.joinRef
    connections[channel.id.socket]?.outbox.send(message)
  }

  func reply(to message: RealtimeMessage, socket: Int, refusal: RealtimeRefusal? = nil) {
    var answer =
      refusal?.reply(ref: message.ref)
      ?? RealtimeMessage(
        topic: message.topic, event: .reply, payload: ["status": "ok", "response": [:]],
        ref: message.ref)
    answer.topic = message.topic
    // A refused join is answered with its own reference, not that of an earlier join.
    let channel = message.event == .join ? nil : connections[socket]?.channels[message.topic]
    answer.joinRef = channel?.joinRef ?? message.joinRef
    connections[socket]?.outbox.send(answer)
  }
}

extension RealtimeRefusal {
  /// The error reply; its topic is filled in by the sender.
  func reply(ref: JSONValue?) -> RealtimeMessage {
    RealtimeMessage(
      topic: "", event: .reply,
      payload: ["status": "error", "response": ["reason": .string(reason)]], ref: ref)
  }
}
