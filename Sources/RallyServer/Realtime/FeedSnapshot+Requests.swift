import RallyRules
import RallyStorage
import RallyWire

// Answers the hub's requests from the snapshot that the changes are read from.
extension FeedSnapshot {
  /// - Parameter node: This server among others on the database; nil if there can be none.
  mutating func answer(
    joins: [FeedRequests.Join], broadcasts: [FeedRequests.Broadcast], node: String? = nil,
    from database: Database
  ) throws {
    for join in joins {
      if try join.access.admits(join.caller?.userID, in: database) { admitted.insert(join.channel) }
      guard let caller = join.caller else { continue }
      if try caller.status(in: database) == .active {
        activeSessions.insert(caller.sessionID)
      }
      if join.wantsFriends, friends[caller.userID] == nil {
        friends[caller.userID] = try FriendRecords.friendIDs(of: caller.userID, in: database)
      }
      if join.wantsFriends, let node {
        present[join.channel] = try PresenceRecords.visible(
          to: caller.userID, in: join.channel.topic, except: node, from: database)
      }
    }
    if let node, !broadcasts.isEmpty {
      isShared = try NodeRecords.hasOthers(than: node, in: database)
    }
    for sender in Set((broadcasts + self.broadcasts).map(\.sender)) {
      hidden[sender] = try BlockRecords.hidden(from: sender, in: database)
    }
  }

  /// Reads what the other servers tell.
  ///
  /// - Parameter limit: Of entries; a broadcast may have 256 kB.
  mutating func relays(
    after position: ChangePosition, limit: Int, reader node: String, from database: Database
  ) throws {
    let relays = try RelayLog.entries(
      after: position, limit: limit, reader: node, from: database)
    lastRelay = relays.last?.position ?? position
    isMore = isMore || relays.count == limit
    for relay in relays where relay.node != node {
      switch relay.content {
      case .presence(let change): items.append(.presence(change))
      case .broadcast(let broadcast): broadcasts.append(broadcast)
      case .keys: hasNewKeys = true
      case nil: break
      }
    }
  }
}
