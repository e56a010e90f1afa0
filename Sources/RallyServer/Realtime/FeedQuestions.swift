import RallyWire

// What the hub asks of the snapshot from which the changes are read.
extension FeedSnapshot {
  mutating func answer(
    joins: [FeedRequests.Join], broadcasts: [FeedRequests.Broadcast], from database: Database
  ) throws {
    for join in joins {
      guard let caller = join.caller else { continue }
      if try caller.standing(in: database) == .good {
        livingSessions.insert(caller.sessionID)
      }
      if let mission = join.room.missionID,
        try MissionMemberRecords.hasJoined(caller.userID, mission, in: database)
      {
        members.insert(join.channel)
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
