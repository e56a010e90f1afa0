import RallyWire

// Answers the hub's requests from the snapshot that the changes are read from.
extension FeedSnapshot {
  mutating func answer(
    joins: [FeedRequests.Join], broadcasts: [FeedRequests.Broadcast], from database: Database
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
    }
    for sender in Set(broadcasts.map(\.sender)) {
      hidden[sender] = try BlockRecords.hidden(from: sender, in: database)
    }
  }
}
