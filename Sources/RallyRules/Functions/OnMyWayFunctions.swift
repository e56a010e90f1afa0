import Foundation
import RallyStorage
import RallyWire

/// Being on the way to a mission, seen precisely by the members who were named.
package struct OnMyWayFunctions: Sendable {
  var now: @Sendable () -> WireTime = { .now }

  func begin(_ call: BeginOnMyWay, caller: Caller, in database: Database) throws -> NoContent {
    let time = now()
    let context = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    try context.requireJoined()
    try context.requireOpen()
    guard try !GhostRecords.contains(caller.userID, in: database) else {
      throw FunctionFailure(.ghost, "You are a ghost; come back before you show your way.")
    }
    guard call.userIDs.count <= MissionRules.readerLimit else {
      throw MissionInput.invalid("Name at most \(MissionRules.readerLimit) members.")
    }
    let mission = context.mission
    let members = try MissionMemberRecords.all(in: mission.key, from: database)
    let readers = Set(call.userIDs.map(\.wrappedValue.wireText)).filter {
      $0 != caller.userID && members[$0]?.state == .joined && !context.reader.hidden.contains($0)
    }
    guard !readers.isEmpty else {
      throw FunctionFailure(
        .notFound, "Nobody who was named is in “\(mission.title)”, so nobody would see you.")
    }
    let way = StoredWay(
      owner: caller.userID, mission: mission.key, beganAt: time,
      until: MissionRules.endOfWay(from: time, missionEndsAt: mission.endsAt))
    // Those who saw an earlier one and are not named any more are told too.
    try OnMyWay.tell(way, at: time, in: database)
    try OnMyWayRecords.begin(way, for: readers, in: database)
    try OnMyWay.settle(caller.userID, at: time, in: database)
    try OnMyWay.tell(way, at: time, in: database)
    return NoContent()
  }

  /// Succeeds without a way too: it may have ended by itself.
  func end(_ call: EndOnMyWay, caller: Caller, in database: Database) throws -> NoContent {
    let mission = call.missionID?.wrappedValue.wireText
    let ways = try OnMyWayRecords.all(of: caller.userID, in: database)
      .filter { mission == nil || $0.mission == mission }
    try OnMyWay.end(ways, at: now(), in: database)
    return NoContent()
  }

  func fetchComing(
    _ call: FetchComing, caller: Caller, in database: Database
  ) throws -> [ComingRecord] {
    let time = now()
    let mission = call.missionID?.wrappedValue
    if let mission {
      try MissionContext(mission, caller: caller, at: time, in: database).requireJoined()
    }
    return try OnMyWayFunctions.coming(
      for: caller.userID, in: mission?.wireText, at: time, from: database)
  }

  /// Who is on the way to one mission, or to all, as far as a reader may see it.
  package static func coming(
    for reader: String, in mission: String?, at time: WireTime, from database: Database
  ) throws -> [ComingRecord] {
    let rows = try OnMyWayRecords.listed(for: reader, in: mission, at: time, from: database)
    guard !rows.isEmpty else { return [] }
    let locations = try LocationVisibility.friendLocations(
      for: reader, isComing: true, at: time, in: database)
    let known = Dictionary(locations.map { ($0.userID.wireText, $0) }) { first, _ in first }
    return try rows.compactMap { row in
      guard let missionID = UUID(wireText: row.way.mission),
        let userID = UUID(wireText: row.way.owner)
      else { return nil }
      let isOwn = row.way.owner == reader
      return ComingRecord(
        missionID: missionID, userID: userID, username: row.username,
        displayName: row.displayName, beganAt: row.way.beganAt, until: row.way.until,
        arrivedAt: row.way.arrivedAt,
        readers: isOwn && row.way.until != nil ? try readers(of: row.way, in: database) : [],
        location: isOwn
          ? try LocationVisibility.ownLocation(of: row.way.owner, in: database)
          : known[row.way.owner])
    }
  }

  private static func readers(
    of way: StoredWay, in database: Database
  ) throws -> [MissionMemberRecord] {
    let readers = try OnMyWayRecords.readers(of: way, in: database)
    return try MissionMemberRecords.listed(in: way.mission, from: database).compactMap { listed in
      guard readers.contains(listed.member.userID),
        let id = UUID(wireText: listed.member.userID)
      else { return nil }
      return MissionMemberRecord(
        userID: id, username: listed.username, displayName: listed.displayName,
        state: listed.member.state, joinedAt: listed.member.joinedAt)
    }
  }
}
