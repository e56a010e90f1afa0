import RallyRules
import RallyText
import RallyWire

// Who is there. In every room a person sees themselves and their friends.
extension RealtimeHub {
  func receivePresence(_ message: RealtimeMessage, on channel: RealtimeChannel) {
    guard channel.isLive else {
      return reply(to: message, socket: channel.id.socket, refusal: .unmatchedTopic)
    }
    var channel = channel
    guard channel.presencePace.take() else {
      budgets.didRefuse(.presencePerChannel)
      return end(channel, "Client presence rate limit exceeded")
    }
    store(channel)
    switch message.payload["event"]?.string?.lowercased() {
    case "track":
      guard presence[channel.id.topic]?.has(channel.id) == true else {
        return enqueue(.presence(message), channel, claims: channel.claims, token: channel.token)
      }
      track(message, on: channel)
    case "untrack":
      reply(to: message, socket: channel.id.socket)
      deliver(presence[channel.id.topic]?.untrack(channel.id) ?? [])
      share(channel)
      noteOnline(channel)
    default:
      reply(to: message, socket: channel.id.socket, refusal: .presenceEvent)
    }
  }

  func track(_ message: RealtimeMessage, on channel: RealtimeChannel) {
    guard let payload = (message.payload["payload"] ?? [:]).object else {
      return reply(to: message, socket: channel.id.socket, refusal: .presencePayload)
    }
    let size = JSONWriter.bytes(of: .object(payload)).count
    guard budgets.allows(.presenceBytes, of: size) else {
      return end(channel, "Track message size exceeded")
    }
    reply(to: message, socket: channel.id.socket)
    deliver(presence[channel.id.topic]?.track(channel.id, payload: payload) ?? [])
    share(channel)
    noteOnline(channel)
  }

  /// Puts a channel on its topic's board and sends it who is there.
  func enter(_ channel: RealtimeChannel, with answer: FeedSnapshot) {
    guard presence[channel.id.topic]?.has(channel.id) != true else { return }
    presence[channel.id.topic, default: PresenceTracker()].join(
      channel.id, person: channel.person, key: channel.presenceKey, wantsEvents: true,
      friends: answer.friends[channel.person] ?? [])
    for entry in answer.present[channel.id] ?? [] { take(entry, notifying: { $0 != channel.id }) }
    if let state = presence[channel.id.topic]?.state(for: channel.id) {
      push(.presenceState, state, on: channel)
    }
  }

  func leavePresence(_ channel: RealtimeChannel) {
    let topic = channel.id.topic
    guard presence[topic]?.has(channel.id) == true else { return }
    let wasShared = node.map { presence[topic]?.shared(channel.id, of: $0) != nil } == true
    deliver(presence[topic]?.leave(channel.id) ?? [])
    if wasShared { share(channel) }
    noteOnline(channel)
    if presence[topic]?.isEmpty == true { presence[topic] = nil }
  }

  func befriend(_ a: String, _ b: String, areFriends: Bool) {
    for topic in presence.keys {
      deliver(presence[topic]?.set(a, b, areFriends: areFriends) ?? [])
    }
  }

  func deliver(_ deliveries: [PresenceTracker.Delivery]) {
    for delivery in deliveries {
      guard let channel = channel(delivery.channel) else { continue }
      push(.presenceDiff, delivery.payload, on: channel)
    }
  }

  /// Updates `presentUsers`, and has `last_seen` stored when a person's last tracked socket ends.
  private func noteOnline(_ channel: RealtimeChannel) {
    guard channel.access.kind == .presence, let user = channel.caller?.userID else { return }
    let isOnline = presence[channel.id.topic]?.isOnline(user) == true
    let wasOnline = presentUsers.isOnline(user)
    guard isOnline != wasOnline else { return }
    presentUsers.set(user, isOnline: isOnline)
    if isOnline {
      work.lastSeen[user] = nil
    } else {
      work.lastSeen[user] = .now
      wake()
    }
  }
}

// What is exchanged with other servers on the same database.
extension RealtimeHub {
  /// Notes what a channel tracks now.
  func share(_ channel: RealtimeChannel) {
    guard let node else { return }
    let id = channel.id
    let remote = id.remote(on: node)
    news.presence[remote.number] = PresenceChange(
      channel: remote, topic: id.topic, person: channel.person,
      entry: presence[id.topic]?.shared(id, of: node))
    wake()
  }

  func sharedPresence(of node: String) -> [SharedPresence] {
    presence.values.flatMap { $0.shared(of: node) }
  }

  func takeNews() -> SharedNews {
    var taken = news
    news = SharedNews()
    taken.isOccupied = !channelsIn.isEmpty
    return taken
  }

  /// Puts back who is there; broadcasts that could not be published are lost, as to a closed
  /// socket.
  func putBack(_ taken: SharedNews) { news.presence.merge(taken.presence) { newer, _ in newer } }

  /// - Parameter isNotified: Whether a channel is notified; one that enters gets its state instead.
  func take(_ entry: SharedPresence, notifying isNotified: (ChannelID) -> Bool = { _ in true }) {
    let change = PresenceChange(
      channel: entry.channel, topic: entry.topic, person: entry.person, entry: entry)
    deliver((presence[entry.topic]?.take(change) ?? []).filter { isNotified($0.channel) })
  }

  func take(_ change: PresenceChange) { deliver(presence[change.topic]?.take(change) ?? []) }

  func replaceOthers(with entries: [SharedPresence]) {
    let known = Set(entries.map(\.channel))
    for (topic, tracker) in presence {
      for (channel, person) in tracker.elsewhere where !known.contains(channel) {
        take(PresenceChange(channel: channel, topic: topic, person: person, entry: nil))
      }
    }
    for entry in entries { take(entry) }
  }
}
