import RallyRules
import RallyText
import RallyWire

// Sending messages to sockets.
extension RealtimeHub {
  func push(_ event: RealtimeEvent, _ payload: JSONValue, on channel: RealtimeChannel) {
    connections[channel.id.socket]?.outbox.send(
      RealtimeMessage(topic: channel.id.topic, event: event, payload: payload))
  }

  func pushSystem(_ message: String, isError: Bool, about: String, on channel: RealtimeChannel) {
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

// Broadcasts: messages that are not stored.
extension RealtimeHub {
  /// Maximum bytes of broadcasts that wait for the feed.
  private static let waitingLimit = 16 << 20

  /// Why broadcasts over HTTP are refused.
  enum BroadcastProblem: Error, Hashable, Sendable {
    case tooMany
    case tooLarge
  }

  /// A broadcast right after its join waits for the feed with it, and is dropped if the join is
  /// refused.
  func broadcast(_ push: BroadcastPush, on channel: RealtimeChannel) {
    guard let sender = channel.caller?.userID else {
      return refuse(push.ref, .anonymousBroadcast, on: channel)
    }
    guard push.body != .unreadable else { return refuse(push.ref, .notJSON, on: channel) }
    let size = push.body.size
    guard budgets.allows(.broadcastBytes, of: size), push.event.utf8.count <= 255 else {
      return refuse(push.ref, .broadcastTooLarge, on: channel)
    }
    guard waitingBroadcasts + size <= RealtimeHub.waitingLimit else {
      return end(channel, "Too many messages per second")
    }
    enqueue(push, from: sender, channel: channel.id, size: size)
  }

  /// Reports a refused broadcast if the channel asked for acknowledgements.
  func refuse(_ ref: JSONValue?, _ refusal: RealtimeRefusal, on channel: RealtimeChannel) {
    guard channel.acknowledgesBroadcasts else { return }
    send(refusal.reply(ref: ref), on: channel)
  }

  /// Broadcasts over HTTP.
  ///
  /// - Parameter sender: A user whose access to the topics was checked.
  func broadcast(_ pushes: [BroadcastPush], from sender: String) throws(BroadcastProblem) {
    guard pushes.allSatisfy({ budgets.allows(.broadcastBytes, of: $0.body.size) }) else {
      throw .tooLarge
    }
    if senders.count >= budgets[.sockets] { senders = [:] }
    let pace = Pace(Double(budgets[.messagesPerSocket]))
    guard senders[sender, default: pace].take(pushes.count) else {
      budgets.didRefuse(.messagesPerSocket)
      throw .tooMany
    }
    guard waitingBroadcasts <= RealtimeHub.waitingLimit else { throw .tooMany }
    for push in pushes { enqueue(push, from: sender, channel: nil, size: push.body.size) }
  }

  private func enqueue(_ push: BroadcastPush, from sender: String, channel: ChannelID?, size: Int) {
    waitingBroadcasts += size
    let broadcast = Broadcast(topic: push.topic, sender: sender, event: push.event, body: push.body)
    work.broadcasts.append(.init(broadcast: broadcast, channel: channel, ref: push.ref, size: size))
    wake()
  }

  /// Sends a broadcast to the channels of its topic whose user is not hidden from the sender.
  ///
  /// - Parameters:
  ///   - sending: The channel that it came through; nil if none here.
  ///   - ref: The reference of the reply.
  /// - Returns: False for one that is dropped.
  @discardableResult
  func deliver(
    _ broadcast: Broadcast, from sending: ChannelID? = nil, ref: JSONValue? = nil,
    hidden: Set<String>
  ) -> Bool {
    var delivery = BroadcastDelivery(
      topic: broadcast.topic, event: broadcast.event, body: broadcast.body)
    let origin = sending.flatMap(channel)
    // Dropped if the channel was closed meanwhile or its join was refused.
    guard sending == nil || origin?.isLive == true else { return false }
    var batch = FrameBatch()
    for id in channelsIn[broadcast.topic] ?? [] {
      guard id != sending || origin?.receivesOwnBroadcasts == true,
        let reader = channel(id)?.caller?.userID, !hidden.contains(reader),
        let outbox = connections[id.socket]?.outbox,
        let item = delivery.item(for: outbox.serializer)
      else { continue }
      batch.add(item, to: outbox)
    }
    batch.finish()
    guard let origin, origin.acknowledgesBroadcasts else { return true }
    send(
      RealtimeMessage(
        topic: broadcast.topic, event: .reply, payload: ["status": "ok", "response": [:]],
        ref: ref), on: origin)
    return true
  }
}
