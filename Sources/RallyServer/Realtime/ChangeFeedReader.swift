import CDispatch
import Foundation
import Logging
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// Reads the change feed in order after each commit and hands it to the hub.
package actor ChangeFeedReader {
  static let batch = 500
  private static let relayBatch = 100
  static let trimBatch = 1000
  private static let retryDelay = DispatchTimeInterval.seconds(1)
  /// The beginning of the year 2200, in microseconds since 1970.
  private static let latestWakeUp: Int64 = 7_258_118_400_000_000

  private let storage: Storage
  private let hub: RealtimeHub
  /// nil where no page is served.
  private let watchPages: WatchPages?
  private let logger: Logger
  private let metrics: ServerMetrics?
  /// nil if no other server can share the database.
  private let link: NodeLink?
  /// The clock that ends timed shares.
  private let now: @Sendable () -> WireTime
  private let trimInterval: Duration
  /// Asks for another turn.
  private let wake: @Sendable () -> Void
  private var lastPosition = ChangePosition.beginning
  private var lastRelay = ChangePosition.beginning
  private var lastTrim = ContinuousClock.now
  /// When people's last connection ended, as far as it is not stored yet.
  private var unstored: [String: WireTime] = [:]
  /// What was last logged; nil while all is well.
  private var complaint: String?
  /// Wakes the reader when the next timed share ends or the next move is due; none while neither is
  /// to come.
  private var alarm: (time: WireTime, item: DispatchWorkItem)?

  package init(
    storage: Storage, hub: RealtimeHub, watchPages: WatchPages? = nil, logger: Logger,
    metrics: ServerMetrics? = nil,
    link: NodeLink? = nil, now: @escaping @Sendable () -> WireTime = { .now },
    trimInterval: Duration = .seconds(60), wake: @escaping @Sendable () -> Void
  ) {
    self.storage = storage
    self.hub = hub
    self.watchPages = watchPages
    self.logger = logger
    self.metrics = metrics
    self.link = link
    self.now = now
    self.trimInterval = trimInterval
    self.wake = wake
  }

  /// Skips everything that was committed before the server started, and does what became due while
  /// no server ran: the first answer is that of a server that was always there.
  package func start() async throws {
    lastPosition = try await storage.read(ChangeLog.lastPosition)
    lastRelay = lastPosition
    do {
      try await reconcileDue(next: try await storage.read(ChangeFeedReader.nextDue))
    } catch {
      didFail(error)
    }
    wake()
  }

  /// Works until `signals` ends. What fails is tried again until it succeeds.
  func run(signals: AsyncStream<Void>) async {
    for await _ in signals {
      do {
        try await turn()
        await didSucceed()
      } catch {
        didFail(error)
      }
    }
  }

  private func didSucceed() async {
    guard complaint != nil else { return }
    logger.notice("realtime: goes on")
    complaint = nil
    // What announced new ones may be gone by now.
    await link?.takeKeys()
  }

  /// Says it once, however long it lasts.
  private func didFail(_ error: any Error) {
    let text = "\(error)"
    if text != complaint { logger.error("realtime: \(text)") }
    complaint = text
    DispatchQueue.timers.asyncAfter(deadline: .now() + ChangeFeedReader.retryDelay) { [wake] in
      wake()
    }
  }

  /// Handles everything that is due now.
  ///
  /// - Throws: What the database said; nothing that waits for an answer is lost by it.
  package func turn() async throws {
    var work = await hub.takeWork()
    unstored.merge(work.lastSeen) { $1 }
    let next: WireTime?
    do {
      next = try await answer(&work)
    } catch {
      await hub.putBack(work)
      throw error
    }
    // Writing comes last: where there is no room for it, reading goes on.
    try await link?.share(from: hub)
    try await storeLastSeen()
    try await storePages()
    try await reconcileDue(next: next)
    try await trimIfDue()
  }

  /// Reads the feed to its end, and answers what was asked from there.
  ///
  /// - Returns: When something is due by the clock next.
  private func answer(_ work: inout FeedRequests) async throws -> WireTime? {
    var isMore = true
    var next: WireTime?
    while isMore {
      let (position, relay) = (lastPosition, lastRelay)
      let answer = try await storage.read { [work, now, watchPages, node = link?.id] database in
        var answer = try ChangeFeedReader.changes(
          listeners: work.listeners, embedders: work.embedders, after: position, at: now(),
          node: node, from: database)
        for link in watchPages?.watched(answer.links) ?? [] {
          answer.watched[link] = .some(try WatchLinkRecords.find(link, in: database)?.state)
        }
        if let node {
          try answer.relays(
            after: relay, limit: ChangeFeedReader.relayBatch, reader: node, from: database)
        }
        try answer.answer(
          joins: work.joins, broadcasts: work.broadcasts, node: node, from: database)
        if !answer.isMore { answer.nextDue = try ChangeFeedReader.nextDue(in: database) }
        return answer
      }
      for (link, state) in answer.watched { watchPages?.take(state, of: link) }
      if answer.hasNewKeys { await link?.takeKeys() }
      if !answer.isMore, !answer.admitted.isEmpty { try await holdLease() }
      (isMore, next) = (answer.isMore, answer.nextDue)
      (lastPosition, lastRelay) = (answer.lastPosition, answer.lastRelay)
      // The hub adds those who join to its own set, which would be copied while it is shared.
      if !isMore { (work.listeners, work.embedders) = ([], []) }
      // Joins wait for the last part, so that nothing older reaches them after their reply, and
      // broadcasts for whom they are kept from by then.
      await hub.apply(
        answer, to: isMore ? [] : work.joins, broadcasts: isMore ? [] : work.broadcasts)
      if let newest = answer.newest {
        metrics?.didFeed(
          entries: answer.changes,
          lag: Double(WireTime.now.microseconds - newest.microseconds) / 1e6)
      }
    }
    return next
  }

  /// Announces this server to the others before it answers joins.
  ///
  /// - Throws: `StorageFailure` that another try may not meet. Where the database can only be read,
  ///   joins are answered without a lease.
  private func holdLease() async throws {
    do {
      try await link?.hold(for: hub)
    } catch let failure as StorageFailure where !failure.isTransient {}
  }

  private func storeLastSeen() async throws {
    guard !unstored.isEmpty else { return }
    try await storage.write { [unstored, node = link?.id] database in
      for (user, time) in unstored {
        if let node, try PresenceRecords.isOnline(user, except: node, in: database) { continue }
        try ProfileRecords.setLastSeen(time, of: user, in: database)
      }
    }
    unstored = [:]
  }

  private func storePages() async throws {
    guard let watchPages, case let counts = watchPages.unstoredCounts(), !counts.isEmpty else {
      return
    }
    let time = now()
    try await storage.count { [node = link?.id ?? ""] database in
      for (link, count) in counts {
        try WatchLinkRecords.setPages(count, of: link, on: node, at: time, in: database)
      }
    }
    watchPages.stored(counts)
  }

  private static func changes(
    listeners: Set<String>, embedders: Set<String>, after position: ChangePosition,
    at time: WireTime, node: String?, from database: Database
  ) throws -> FeedSnapshot {
    let changes = try ChangeLog.entries(after: position, limit: batch, from: database)
    let lastPosition = changes.last?.position ?? position
    // Only an update can be from before somebody's arrival.
    let isUpdated = changes.contains {
      $0.operation == .update && [.locations, .missions].contains($0.table)
    }
    let known =
      isUpdated && !listeners.isEmpty
      ? changes + (try ChangeLog.arrivals(after: lastPosition, from: database)) : changes
    var locations = LocationChanges(listeners: listeners, time: time, changes: known)
    var missions = MissionChangeEvents(
      listeners: listeners, embedders: embedders, time: time, changes: known)
    var answer = FeedSnapshot(
      lastPosition: lastPosition, isMore: changes.count == batch,
      changes: changes.count, newest: changes.last?.at)
    var seen: Set<String> = []
    for change in changes {
      switch change.table {
      case .locations:
        if let item = try locations.item(for: change, from: database) { answer.items.append(item) }
      case .missions, .missionMembers, .missionActivity:
        if let left = left(change) { answer.items.append(left) }
        if let item = try missions.item(for: change, from: database) { answer.items.append(item) }
      case .locationSharing:
        guard change.operation == .delete || seen.insert(change.key).inserted else { continue }
        if let item = try sharing(for: change, listeners: listeners, from: database) {
          answer.items.append(item)
        }
      case .locationAsks:
        if let item = try locationAsk(for: change, listeners: listeners, from: database) {
          answer.items.append(item)
        }
      case .sessions: answer.items.append(.sessionEnded(change.key))
      case .watchLinks: answer.links.insert(change.key)
      case .friendships:
        // The current row is sent, so a second change of the same row says nothing new.
        guard change.operation == .delete || seen.insert(change.key).inserted else { continue }
        let item = try item(for: change, embedders: embedders, node: node, from: database)
        if let item {
          answer.items.append(item)
        }
      case .profiles:
        guard seen.insert(change.key).inserted else { continue }
        answer.items += try relations(to: change, embedders: embedders, from: database)
      }
    }
    return answer
  }

  /// Only its owner is sent a sharing.
  private static func sharing(
    for change: Change, listeners: Set<String>, from database: Database
  ) throws -> FeedSnapshot.Item? {
    guard let key = SharingKey(change.key), listeners.contains(key.owner) else { return nil }
    let row = try SharingRecords.find(key, in: database)
    let event = PublishedTables.locationSharing.event(
      for: change, of: row.map { (key, $0) },
      key: [
        "user_id": .string(key.owner),
        "friend_id": key.friend == key.owner ? .null : .string(key.friend),
      ])
    return event.map { .rows([$0], readers: [key.owner: 0]) }
  }

  /// Both friends are sent a question; only the one who was asked is sent its end.
  private static func locationAsk(
    for change: Change, listeners: Set<String>, from database: Database
  ) throws -> FeedSnapshot.Item? {
    guard let key = LocationAskKey(change.key) else { return nil }
    let people = change.operation == .delete ? change.audience : [key.asker, key.asked]
    let readers = people.filter(listeners.contains)
    guard !readers.isEmpty else { return nil }
    let event = PublishedTables.locationAsks.event(
      for: change, of: try LocationAskRecords.find(key, in: database),
      key: ["asker_id": .string(key.asker), "asked_id": .string(key.asked)])
    return event.map {
      .rows([$0], readers: Dictionary(uniqueKeysWithValues: readers.map { ($0, 0) }))
    }
  }

  private static func left(_ change: Change) -> FeedSnapshot.Item? {
    guard change.table == .missionMembers, change.audience.isEmpty,
      let key = MemberKey(change.key), key.before == .joined, key.after != .joined
    else { return nil }
    return .left(mission: key.mission, person: key.user)
  }

  private static func item(
    for change: Change, embedders: Set<String>, node: String?, from database: Database
  ) throws -> FeedSnapshot.Item? {
    let row = try FriendRecords.friendship(id: change.key, in: database)
    let event = PublishedTables.friendships.event(
      for: change, of: row, key: ["id": .string(change.key)])
    guard let event else { return nil }
    guard let row, change.operation != .delete else {
      // A deletion is sent to both.
      let people = change.audience
      let events = people.map { reader in
        var event = event
        event.embedded =
          embedders.contains(reader)
          ? people.first { $0 != reader }.flatMap(UUID.init(wireText:)).flatMap {
            try? JSONValue(encoding: EmbeddedRelation(userID: $0, status: .none))
          } : nil
        return event
      }
      return events.isEmpty ? nil : .friendship(events, people: people, areFriends: false)
    }
    let people = [row.requesterID, row.addresseeID].map(\.wireText)
      .filter { Visibility.canSee(row, reader: $0) }
    let areFriends = row.status == .accepted
    let events = try people.map { reader in
      var event = event
      if embedders.contains(reader) {
        event.embedded = try FriendRecords.relation(row, to: reader, in: database)
          .map { try JSONValue(encoding: $0) }
      }
      return event
    }
    guard !events.isEmpty else { return nil }
    return .friendship(
      events, people: people, areFriends: areFriends,
      present: try node.map { node in
        try people.flatMap {
          areFriends ? try PresenceRecords.all(of: $0, except: node, from: database) : []
        }
      } ?? [])
  }

  /// The friendships and requests of somebody whose profile changed, for the other ones.
  private static func relations(
    to change: Change, embedders: Set<String>, from database: Database
  ) throws -> [FeedSnapshot.Item] {
    guard !embedders.isEmpty else { return [] }
    let rows = try FriendRecords.friendships(of: change.key, limit: .max, in: database)
    return try rows.compactMap { row in
      let people = [row.requesterID, row.addresseeID].map(\.wireText)
      guard let reader = people.first(where: { $0 != change.key }), embedders.contains(reader),
        Visibility.canSee(row, reader: reader),
        let relation = try FriendRecords.relation(row, to: reader, in: database)
      else { return nil }
      var event = PublishedTables.friendships.event(.update, of: row, at: change.at)
      event.embedded = try JSONValue(encoding: relation)
      return .embedded([event], readers: [reader: 0])
    }
  }

  // MARK: - What is due by the clock

  /// Ends shares and announces moves whose time has come, and has itself woken for the next.
  private func reconcileDue(next: WireTime?) async throws {
    let time = now()
    var next = next
    if let due = next, due <= time {
      next = try await storage.write { database in
        try LocationReconciler.reconcileEnded(at: time, in: database)
        try LocationReconciler.announceMoves(at: time, in: database)
        try MissionSeriesFunctions.moveOn(at: time, in: database)
        return try ChangeFeedReader.nextDue(in: database)
      }
    }
    setTimer(next)
  }

  /// nil while nothing is to come.
  private static func nextDue(in database: Database) throws -> WireTime? {
    [
      try SharingRecords.earliestEnd(in: database), try LocationRecords.earliestMove(in: database),
      try OnMyWayRecords.earliestEnd(in: database),
      try MissionRecords.earliestEndOfSeries(in: database),
      try WatchLinkRecords.earliestEnd(in: database),
    ].compactMap(\.self).min()
  }

  private func setTimer(_ time: WireTime?) {
    guard time != alarm?.time else { return }
    alarm?.item.cancel()
    alarm = time.map { time in
      let item = DispatchWorkItem { [wake] in wake() }
      // Later moments do not fit into dispatch's nanoseconds.
      let (seconds, rest) = min(time.microseconds, ChangeFeedReader.latestWakeUp)
        .quotientAndRemainder(dividingBy: 1_000_000)
      DispatchQueue.timers.asyncAfter(
        wallDeadline: DispatchWallTime(
          timespec: timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1000)),
        execute: item)
      return (time, item)
    }
  }

  private func trimIfDue() async throws {
    guard lastTrim.duration(to: .now) >= trimInterval else { return }
    // A clock that was put forward makes nothing old: another server may not have read it yet.
    let (now, time) = (min(.now, WireTime.steady), self.now())
    let end = now.advanced(by: .zero - ChangeLog.retention)
    // Between two batches the feed is read and writers have their turn.
    let isMore = try await storage.count { [link] database in
      let limit = ChangeFeedReader.trimBatch
      let changes = try ChangeLog.trim(before: end, limit: limit, in: database)
      guard link != nil else { return changes }
      return try RelayLog.trim(before: end, limit: limit, in: database) || changes
    }
    guard !isMore else { return wake() }
    lastTrim = .now
    try await storage.write { [link] database in
      if link != nil {
        try BucketRecords.trim(in: database)
        try KnownAddressRecords.trim(at: now, in: database)
      }
      try CallRecords.trim(at: now, in: database)
      try InvitationRecords.trim(at: now, in: database)
      try CellMemoryRecords.trim(at: now, in: database)
      try LocationDeviceRecords.trim(at: now, in: database)
      try LocationAskRecords.trim(at: time, in: database)
      try OnMyWayRecords.trim(at: time, in: database)
    }
  }
}
