import RallyRules
import RallyWire

// What other servers on the same database are told, and tell.
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

  /// Everything that channels here track.
  func sharedPresence(of node: String) -> [SharedPresence] {
    presence.values.flatMap { $0.shared(of: node) }
  }

  func takeNews() -> SharedNews {
    var taken = news
    news = SharedNews()
    taken.isOccupied = !channelsIn.isEmpty
    return taken
  }

  /// Puts back who is there; broadcasts that could not be told are lost, as to a closed socket.
  func putBack(_ taken: SharedNews) {
    news.presence.merge(taken.presence) { newer, _ in newer }
  }

  /// - Parameter tells: Whether a channel is told; one that enters gets its state instead.
  func take(_ entry: SharedPresence, telling tells: (ChannelID) -> Bool = { _ in true }) {
    let change = PresenceChange(
      channel: entry.channel, topic: entry.topic, person: entry.person, entry: entry)
    deliver((presence[entry.topic]?.take(change) ?? []).filter { tells($0.channel) })
  }

  func take(_ change: PresenceChange) { deliver(presence[change.topic]?.take(change) ?? []) }

  /// Takes all that other servers tell at this moment; what else was known of them is over.
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
