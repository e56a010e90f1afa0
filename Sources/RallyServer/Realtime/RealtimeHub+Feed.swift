import RallyRules
import RallyStorage
import RallyText
import RallyWire

// Applying snapshots of the database.
extension RealtimeHub {
  /// Takes the pending requests.
  ///
  /// Channels become active in `apply` only, so the listeners known now are all that can receive
  /// events of the next snapshot.
  func takeWork() -> FeedRequests {
    var taken = work
    work = FeedRequests()
    waitingBroadcasts = 0
    taken.listeners = listeners
    taken.embedders = embedders
    return taken
  }

  /// Puts back requests that could not be answered, before newer ones.
  func putBack(_ taken: FeedRequests) {
    work.joins = taken.joins.filter { channel($0.channel) != nil } + work.joins
    work.broadcasts = taken.broadcasts + work.broadcasts
    waitingBroadcasts += taken.broadcasts.reduce(0) { $0 + $1.size }
  }

  /// Delivers changes in order, then completes the joins that waited for this snapshot, then sends
  /// the broadcasts.
  func apply(
    _ answer: FeedSnapshot, to joins: [FeedRequests.Join],
    broadcasts: [FeedRequests.PendingBroadcast] = []
  ) {
    for item in answer.items { apply(item) }
    for join in joins { complete(join, with: answer) }
    for broadcast in answer.broadcasts {
      deliver(broadcast, hidden: answer.hidden[broadcast.sender] ?? [])
    }
    for pending in broadcasts {
      let broadcast = pending.broadcast
      let isSent = deliver(
        broadcast, from: pending.channel, ref: pending.ref,
        hidden: answer.hidden[broadcast.sender] ?? [])
      if isSent, answer.isShared { news.broadcasts.append(broadcast) }
    }
  }

  private func apply(_ item: FeedSnapshot.Item) {
    switch item {
    case .friendship(let events, let people, let areFriends, let present):
      let numbers = people.indices.map { (people[$0], min($0, events.count - 1)) }
      deliver(events, to: Dictionary(numbers) { first, _ in first })
      if people.count == 2 { befriend(people[0], people[1], areFriends: areFriends) }
      for entry in present { take(entry) }
    case .presence(let change): take(change)
    case .rows(let events, let readers): deliver(events, to: readers)
    case .embedded(let events, let readers): deliver(events, to: readers, isEmbedded: true)
    case .sessionEnded(let session): endSession(session)
    case .left(let mission, let person):
      for channel in (channelsOf[person] ?? []).compactMap(channel)
      where channel.access.missionID == mission {
        end(channel, RealtimeRefusal.noPermission(channel.id.topic).reason)
      }
    }
  }

  /// Sends each reader their variant of the event; variants without a reader are not encoded.
  ///
  /// - Parameter isEmbedded: Whether only bindings with `embed` get it.
  private func deliver(
    _ events: [ChangeEvent], to people: [String: Int], isEmbedded: Bool = false
  ) {
    var texts = ChangeTexts(events: events)
    var batch = FrameBatch()
    for (person, number) in people {
      for id in (channelsOf[person] ?? []).sorted(by: { $0.generation < $1.generation }) {
        guard let channel = channel(id), channel.isLive,
          let outbox = connections[id.socket]?.outbox
        else { continue }
        var matching = channel.bindings.filter {
          $0.pattern.matches(events[number]) && (!isEmbedded || $0.pattern.shape.isEmbedding)
        }
        // One frame, unless bindings select different columns.
        while let shape = matching.first.map({ $0.pattern.shape }) {
          let ids = matching.filter { $0.pattern.shape == shape }.map { $0.id }
          matching.removeAll { $0.pattern.shape == shape }
          let text = outbox.serializer.change(
            topic: texts.topic(id.topic), ids: ids, data: texts.data(of: number, shape))
          batch.add(.text(text), to: outbox)
        }
      }
    }
    batch.finish()
  }

  private func endSession(_ session: String) {
    for connection in connections.values {
      // A pending join is refused with the reason.
      let channels = connection.channels.values.filter {
        $0.isLive && $0.caller?.sessionID == session
      }
      guard !channels.isEmpty else { continue }
      for channel in channels { end(channel, RealtimeRefusal.signedOut.reason) }
      connection.outbox.close(1008, reason: "signed out")
    }
  }
}

/// The parts of a change's frames that many readers share, each encoded once.
private struct ChangeTexts {
  private struct Variant: Hashable {
    let event: Int
    let shape: ChangePattern.Shape
  }

  private let events: [ChangeEvent]
  private var data: [Variant: String] = [:]
  private var topics: [String: String] = [:]

  init(events: [ChangeEvent]) { self.events = events }

  mutating func data(of event: Int, _ shape: ChangePattern.Shape) -> String {
    let variant = Variant(event: event, shape: shape)
    if let known = data[variant] { return known }
    var change = events[event].selecting(shape.columns)
    if !shape.isEmbedding { change.embedded = nil }
    let text = JSONWriter.text(of: change.json)
    data[variant] = text
    return text
  }

  mutating func topic(_ name: String) -> String {
    if let known = topics[name] { return known }
    let text = JSONWriter.text(of: .string(name))
    topics[name] = text
    return text
  }
}

// Bindings of channels: inert without a signed-in user, active with one.
extension RealtimeHub {
  /// Charges a joining channel's bindings before they are stored.
  func charge(
    _ id: ChannelID, for declared: DeclaredBindings, to claims: AccessClaims
  ) throws(RealtimeRefusal) {
    try usage.charge(
      id,
      Caller(claims).map { .person($0.userID, bindings: declared.weight) }
        ?? .inert(bytes: declared.size),
      within: budgets)
  }

  /// Activates the bindings of a channel once its user is known.
  ///
  /// - Throws: `RealtimeRefusal` if the user's budget is used up.
  func activate(_ channel: inout RealtimeChannel) throws(RealtimeRefusal) {
    guard let declared = channel.declared, channel.caller != nil else { return }
    // A join with a token was charged already.
    if channel.isLive { try charge(channel.id, for: declared, to: channel.claims) }
    channel.bindings = declared.entries.map { id, json in
      RealtimeBinding(id: id, pattern: patterns.take(json))
    }
    channel.declared = nil
  }

  func releaseBindings(of channel: RealtimeChannel) {
    for binding in channel.bindings { patterns.release(binding.pattern) }
    usage.release(channel.id)
  }

  /// Sends the system message that confirms the bindings or says why they cannot match.
  func announceBindings(of channel: RealtimeChannel) {
    guard !channel.bindings.isEmpty else { return }
    let problem = channel.bindings.lazy.compactMap(\.pattern.problem).first
    pushSystem(
      problem ?? RealtimeTopic.subscribedMessage, isError: problem != nil,
      about: RealtimeEvent.postgresChanges.rawValue, on: channel)
  }
}
