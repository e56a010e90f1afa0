import RallyWire

// What people say to each other without the server keeping it.
extension RealtimeHub {
  /// Bytes of broadcasts that may wait for the feed; more than it ever falls behind by.
  private static let waitingLimit = 16 << 20

  /// Why broadcasts that came over HTTP are not sent.
  enum BroadcastProblem: Error, Hashable, Sendable {
    case tooMany
    case tooLarge
  }

  /// One that comes right behind its join waits for the feed behind it, and goes nowhere when the
  /// join is refused.
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
    enqueue(
      .init(
        topic: push.topic, sender: sender, channel: channel.id, event: push.event,
        body: push.body, ref: push.ref, size: size))
  }

  /// Says why a broadcast is not sent, where it is said of those that are sent, too.
  func refuse(_ ref: String?, _ refusal: RealtimeRefusal, on channel: RealtimeChannel) {
    guard channel.acknowledgesBroadcasts else { return }
    send(refusal.reply(ref: ref), on: channel)
  }

  /// Broadcasts of somebody who is not, or not only, on a socket.
  ///
  /// - Parameter sender: Whose right to the topics the caller has looked at.
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
    for push in pushes {
      enqueue(
        .init(
          topic: push.topic, sender: sender, channel: nil, event: push.event, body: push.body,
          ref: nil, size: push.body.size))
    }
  }

  private func enqueue(_ broadcast: FeedRequests.Broadcast) {
    waitingBroadcasts += broadcast.size
    work.broadcasts.append(broadcast)
    wake()
  }

  /// Sends it to whoever is in the room by now and exists for the sender.
  func deliver(_ broadcast: FeedRequests.Broadcast, hidden: Set<String>) {
    var delivery = BroadcastDelivery(
      topic: broadcast.topic, event: broadcast.event, body: broadcast.body)
    let origin = broadcast.channel.flatMap(channel)
    // Whoever was shown out meanwhile is not heard any more, nor who was not let in.
    guard broadcast.channel == nil || origin?.isLive == true else { return }
    for id in channelsIn[broadcast.topic] ?? [] {
      guard id != broadcast.channel || origin?.hearsItself == true,
        let reader = channel(id)?.caller?.userID, !hidden.contains(reader),
        let outbox = connections[id.socket]?.outbox,
        let item = delivery.item(for: outbox.serializer)
      else { continue }
      outbox.add(item)
    }
    guard let origin, origin.acknowledgesBroadcasts else { return }
    send(
      RealtimeMessage(
        topic: broadcast.topic, event: .reply, payload: ["status": "ok", "response": [:]],
        ref: broadcast.ref), on: origin)
  }
}
