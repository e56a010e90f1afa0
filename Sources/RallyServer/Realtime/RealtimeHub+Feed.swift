import RallyWire

// What the database says.
extension RealtimeHub {
  /// Hands over what has to be looked up or stored.
  ///
  /// Channels come to life only in `apply`, so whoever does not listen now hears nothing of the
  /// snapshot that answers this.
  func takeWork() -> FeedRequests {
    var taken = work
    work = FeedRequests()
    waitingBroadcasts = 0
    taken.listeners = listeners
    return taken
  }

  /// Takes back what could not be answered; it comes before what was asked since.
  func putBack(_ taken: FeedRequests) {
    work.joins = taken.joins.filter { channel($0.channel) != nil } + work.joins
    work.broadcasts = taken.broadcasts + work.broadcasts
    waitingBroadcasts += taken.broadcasts.reduce(0) { $0 + $1.size }
  }

  /// Delivers changes in order, then completes the joins that waited for this snapshot, then sends
  /// the broadcasts.
  func apply(
    _ answer: FeedSnapshot, to joins: [FeedRequests.Join], broadcasts: [FeedRequests.Broadcast] = []
  ) {
    for item in answer.items { apply(item) }
    for join in joins { complete(join, with: answer) }
    for broadcast in broadcasts {
      deliver(broadcast, hidden: answer.hidden[broadcast.sender] ?? [])
    }
  }

  private func apply(_ item: FeedSnapshot.Item) {
    switch item {
    case .friendship(let event, let people, let areFriends):
      deliver([event], to: Dictionary(people.map { ($0, 0) }) { first, _ in first })
      if people.count == 2 { befriend(people[0], people[1], areFriends: areFriends) }
    case .rows(let events, let readers): deliver(events, to: readers)
    case .sessionEnded(let session): endSession(session)
    case .left(let mission, let person):
      for channel in (channelsOf[person] ?? []).compactMap(channel)
      where channel.room.missionID == mission {
        end(channel, RealtimeRefusal.noPermission(channel.id.topic).reason)
      }
    }
  }

  private struct Variant: Hashable {
    let event: Int
    let columns: Set<String>?
  }

  /// Sends each person the event whose number they have; what nobody gets is not encoded.
  private func deliver(_ events: [ChangeEvent], to people: [String: Int]) {
    var written: [Variant: String] = [:]
    for (person, number) in people {
      for id in (channelsOf[person] ?? []).sorted(by: { $0.generation < $1.generation }) {
        guard let channel = channel(id), channel.isLive, !channel.bindings.isEmpty,
          let outbox = connections[id.socket]?.outbox
        else { continue }
        let matching = channel.bindings.filter { $0.pattern.matches(events[number]) }
        // One frame, unless bindings want different columns.
        for (columns, bindings) in Dictionary(grouping: matching, by: \.pattern.columns) {
          let variant = Variant(event: number, columns: columns)
          guard
            let data = written[variant]
              ?? (try? WireJSON.text(events[number].selecting(columns))),
            let text = try? outbox.serializer.change(
              topic: id.topic, ids: bindings.map(\.id), data: data)
          else { continue }
          written[variant] = data
          outbox.add(.text(text))
        }
      }
    }
  }

  private func endSession(_ session: String) {
    for connection in connections.values {
      // A join that is still to be answered is refused with its reason.
      let channels = connection.channels.values.filter {
        $0.isLive && $0.caller?.sessionID == session
      }
      guard !channels.isEmpty else { continue }
      for channel in channels { end(channel, RealtimeRefusal.signedOut.reason) }
      connection.outbox.close(1008, reason: "signed out")
    }
  }
}
