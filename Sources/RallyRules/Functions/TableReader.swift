import Foundation
import RallyStorage
import RallyWire

/// Reads the rows of a table that a user may see, with the same columns and values as functions and
/// events.
///
/// The filter is applied afterwards, to the rows as the reader sees them. Here its keys only reduce
/// the rows that are read.
package struct TableReader: Sendable {
  /// The maximum number of rows in a response.
  package static let pageLimit = 1000
  /// The maximum number of rows that are read for a response.
  static let readLimit = 20_000

  var now: @Sendable () -> WireTime = { .now }

  package init(now: @escaping @Sendable () -> WireTime = { .now }) { self.now = now }

  /// - Parameter reach: The number of rows that is enough if they are read in the query's order.
  /// - Throws: `invalid_argument` if more than `readLimit` rows would be read.
  package func rows(
    of table: ReadableTable, for query: RowQuery, reach: Int, caller: Caller,
    in database: Database
  ) throws -> [JSONRow] {
    let filter = query.filter
    let rows =
      switch table {
      case .profiles: try profiles(filter, caller, database)
      case .friendships: try friendships(filter, caller, database)
      case .locations: try locations(caller, database)
      case .missions: try missions(filter, caller, database)
      case .missionMembers: try members(filter, caller, database)
      case .missionActivity: try activity(query, reach, caller, database)
      }
    guard rows.count <= TableReader.readLimit else {
      throw FunctionFailure(
        .invalidArgument, "That is too much to look through; filter \(table.rawValue) by an id.")
    }
    return rows
  }

  // MARK: - People

  /// The profiles that the filter names by id or username; otherwise the caller and their friends.
  private func profiles(
    _ filter: RowFilter, _ caller: Caller, _ database: Database
  ) throws -> [JSONRow] {
    let found: [ProfileRecord]
    if let ids = filter.keys("id") {
      found = try ids.compactMap {
        try ProfileRecords.find($0, visibleTo: caller.userID, in: database)
      }
    } else if let names = filter.keys("username") {
      found = try names.compactMap {
        try ProfileRecords.find(username: $0, visibleTo: caller.userID, in: database)
      }
    } else {
      found = try ProfileRecords.circle(
        of: caller.userID, limit: TableReader.readLimit + 1, in: database)
    }
    return found.map(PublishedTables.profiles.record)
  }

  private func friendships(
    _ filter: RowFilter, _ caller: Caller, _ database: Database
  ) throws -> [JSONRow] {
    let found =
      if let ids = filter.keys("id") {
        try ids.compactMap { try FriendRecords.friendship(id: $0, in: database) }
      } else {
        try FriendRecords.friendships(
          of: caller.userID, limit: TableReader.readLimit + 1, in: database)
      }
    return found.filter { Visibility.canSee($0, reader: caller.userID) }
      .map(PublishedTables.friendships.record)
  }

  /// Friends' positions as they share them, and the caller's own.
  private func locations(_ caller: Caller, _ database: Database) throws -> [JSONRow] {
    let own = try LocationVisibility.ownLocation(of: caller.userID, in: database)
    let friends = try LocationVisibility.friendLocations(
      for: caller.userID, at: now(), in: database)
    return ([own].compactMap(\.self) + friends).map(PublishedTables.locations.record)
  }

  // MARK: - Missions

  /// A mission that the caller sees, with their membership.
  private struct Seen {
    var mission: StoredMission
    var membership: MissionMembership?
  }

  private func seen(
    _ ids: [String]?, _ reader: MissionReader, _ database: Database
  ) throws -> [Seen] {
    func seen(_ mission: StoredMission?, _ key: String) throws -> Seen? {
      // Also read for an unknown mission, so that it takes as long as a hidden one.
      let membership = try MissionMemberRecords.find(reader.userID, in: key, from: database)?.state
      guard let mission else { return nil }
      let isSeen = try MissionAccess.canSee(mission, as: membership, reader: reader, in: database)
      return isSeen ? Seen(mission: mission, membership: membership) : nil
    }
    if let ids { return try ids.compactMap { try seen(MissionRecords.find($0, in: database), $0) } }
    return try MissionRecords.around(
      reader.userID, limit: TableReader.readLimit + 1, in: database
    ).compactMap { try seen($0, $0.key) }
  }

  private func missions(
    _ filter: RowFilter, _ caller: Caller, _ database: Database
  ) throws -> [JSONRow] {
    let reader = try MissionReader(caller.userID, at: now(), in: database)
    return try seen(filter.keys("id"), reader, database).map { seen in
      PublishedTables.missions.record(
        (seen.mission, MissionAcquaintance(with: seen.mission, hidden: reader.hidden)))
    }
  }

  private func members(
    _ filter: RowFilter, _ caller: Caller, _ database: Database
  ) throws -> [JSONRow] {
    let reader = try MissionReader(caller.userID, at: now(), in: database)
    var rows: [JSONRow] = []
    for seen in try seen(filter.keys("mission_id"), reader, database) {
      let members = try MissionMemberRecords.all(in: seen.mission.key, from: database)
      rows += members.values.sorted { $0.userID < $1.userID }.filter { member in
        MissionAccess.canSee(
          member: member.state, isSelf: member.userID == reader.userID,
          isHidden: reader.hidden.contains(member.userID), as: seen.membership)
      }.map { PublishedTables.missionMembers.record((seen.mission.key, $0)) }
      if rows.count > TableReader.readLimit { break }
    }
    return rows
  }

  /// Activity of the named missions, or of all that the caller is in, newest first.
  private func activity(
    _ query: RowQuery, _ reach: Int, _ caller: Caller, _ database: Database
  ) throws -> [JSONRow] {
    let before = query.filter.latest("created_at").map {
      WireTime(microseconds: $0.microseconds + 1)
    }
    let isInOrder = query.order.allSatisfy { $0.column == "created_at" && $0.isDescending }
    // For a page of the newest, one line more than the page is read: that of the cursor.
    let limit =
      isInOrder && query.filter.isDecided(byKeys: ["mission_id"], latest: "created_at")
      ? min(reach, TableReader.readLimit) + 1 : TableReader.readLimit + 1
    var lines: [MissionActivityRecord]
    if let ids = query.filter.keys("mission_id") {
      let reader = try MissionReader(caller.userID, at: now(), in: database)
      lines = try seen(ids, reader, database).filter { seen in
        MissionAccess.canSee(lineOfHidden: false, as: seen.membership)
      }.flatMap { seen in
        try ActivityRecords.lines(
          of: seen.mission.key, before: before, for: caller.userID, limit: limit, in: database)
      }
      if ids.count > 1 { lines.sort { $0.createdAt > $1.createdAt } }
    } else {
      lines = try ActivityRecords.lines(
        ofAllOf: caller.userID, before: before, limit: limit, in: database)
    }
    return lines.map(PublishedTables.missionActivity.record)
  }
}
