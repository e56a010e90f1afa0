import Foundation
import RallyWire

/// The rows of a table that somebody may see: those that functions and events would tell them of,
/// and nothing else in them.
///
/// A filter is applied afterwards, to rows as they were cut. Here it only says which few rows are
/// worth reading, by their keys.
struct TableReader: Sendable {
  /// How many rows one answer has at most.
  static let pageLimit = 1000
  /// How many rows are read at most to find them.
  static let readLimit = 20_000

  var now: @Sendable () -> WireTime = { .now }

  /// - Parameter reach: How many rows are enough when they already come as the query wants them.
  /// - Throws: `invalid_argument` when there is more to look through than can be.
  func rows(
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

  /// Those who are asked for by id or username; without that the caller and their friends.
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
    return found.map { profile in
      [
        "id": .string(profile.id.wireText), "username": .string(profile.username),
        "display_name": .string(profile.displayName), "bio": .string(profile.bio),
        "version": .integer(profile.version),
        "created_at": .string(profile.createdAt.description),
      ]
    }
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
    return found.filter { Visibility.canSee($0, reader: caller.userID) }.map { row in
      [
        "id": .string(row.id.wireText), "requester_id": .string(row.requesterID.wireText),
        "addressee_id": .string(row.addresseeID.wireText), "status": .string(row.status.rawValue),
        "created_at": .string(row.createdAt.description),
        "accepted_at": row.acceptedAt.map { .string($0.description) } ?? .null,
        "version": .integer(row.version),
      ]
    }
  }

  /// Friends' positions as they share them, and the caller's own as it is stored.
  private func locations(_ caller: Caller, _ database: Database) throws -> [JSONRow] {
    let own = LocationVisibility.project(
      try LocationRecords.find(caller.userID, in: database), allowed: .success(.precise),
      sight: try ReaderVisibilityRecords.all(of: caller.userID, in: database)[caller.userID]
        ?? .none)
    let friends = try LocationVisibility.friendLocations(
      for: caller.userID, at: now(), in: database)
    return try ([try? own.get()].compactMap(\.self) + friends).map {
      try PublishedTable.record($0, columns: PublishedTable.locations)
    }
  }

  // MARK: - Missions

  /// A mission that the caller sees, and how they belong to it.
  private struct Seen {
    var mission: StoredMission
    var membership: MissionMembership?
  }

  private func seen(
    _ ids: [String]?, _ reader: MissionReader, _ database: Database
  ) throws -> [Seen] {
    func seen(_ mission: StoredMission?, _ key: String) throws -> Seen? {
      // Looked up for an unknown mission as well: it takes as long as one that is hidden.
      let membership = try MissionMemberRecords.find(
        reader.userID, in: key, from: database)?.state
      guard let mission else { return nil }
      let isSeen = try MissionAccess.canSee(
        mission, as: membership, reader: reader, in: database)
      return isSeen ? Seen(mission: mission, membership: membership) : nil
    }
    if let ids {
      return try ids.compactMap { try seen(MissionRecords.find($0, in: database), $0) }
    }
    return try MissionRecords.around(
      reader.userID, limit: TableReader.readLimit + 1, in: database
    ).compactMap { try seen($0, $0.key) }
  }

  private func missions(
    _ filter: RowFilter, _ caller: Caller, _ database: Database
  ) throws -> [JSONRow] {
    let reader = try MissionReader(caller.userID, at: now(), in: database)
    return try seen(filter.keys("id"), reader, database).map { seen in
      PublishedTable.record(
        of: seen.mission,
        acquaintance: MissionAcquaintance(with: seen.mission, hidden: reader.hidden))
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
      }.map { PublishedTable.record(of: $0, in: seen.mission.key) }
      if rows.count > TableReader.readLimit { break }
    }
    return rows
  }

  /// The newest first, of the missions that are asked for or of all that the caller is in.
  private func activity(
    _ query: RowQuery, _ reach: Int, _ caller: Caller, _ database: Database
  ) throws -> [JSONRow] {
    let before = query.filter.latest("created_at").map {
      WireTime(microseconds: $0.microseconds + 1)
    }
    let isInOrder = query.order.allSatisfy { $0.column == "created_at" && $0.isDescending }
    // A page of the newest is read as far as it goes, and one line more: that of the cursor.
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
    return lines.map { line in
      func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
      return [
        "id": .string(line.id.wireText), "mission_id": .string(line.missionID.wireText),
        "mission_title": .string(line.missionTitle), "kind": .string(line.kind.rawValue),
        "user_id": text(line.userID?.wrappedValue.wireText), "username": text(line.username),
        "display_name": text(line.displayName),
        "objective_id": text(line.objectiveID?.wrappedValue.wireText),
        "objective_title": text(line.objectiveTitle), "text": text(line.text),
        "created_at": .string(line.createdAt.description),
      ]
    }
  }
}
