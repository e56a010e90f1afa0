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
    let readers = Set(call.userIDs.map(\.wireText)).filter {
      $0 != caller.userID && members[$0]?.state == .joined && !context.reader.hidden.contains($0)
    }
    guard !readers.isEmpty else {
      throw FunctionFailure(
        .notFound, "Nobody who was named is in “\(mission.title)”, so nobody would see you.")
    }
    let way = StoredWay(
      owner: caller.userID, mission: mission.key, beganAt: time,
      until: MissionRules.endOfWay(from: time, missionEndsAt: mission.endsAt))
    // Those who saw an earlier one and are not named any more get it too.
    try OnMyWayRules.publish(way, at: time, in: database)
    try OnMyWayRecords.begin(way, for: readers, in: database)
    try OnMyWayRules.settle(caller.userID, at: time, in: database)
    try OnMyWayRules.publish(way, at: time, in: database)
    return NoContent()
  }

  /// Succeeds without a way too: it may have ended by itself.
  func end(_ call: EndOnMyWay, caller: Caller, in database: Database) throws -> NoContent {
    let mission = call.missionID?.wireText
    let ways = try OnMyWayRecords.all(of: caller.userID, in: database)
      .filter { mission == nil || $0.mission == mission }
    try OnMyWayRules.end(ways, at: now(), in: database)
    return NoContent()
  }

  func fetchComing(
    _ call: FetchComing, caller: Caller, in database: Database
  ) throws -> [ComingRecord] {
    let time = now()
    let mission = call.missionID
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

/// Ends ways to missions, in the transaction of what ends them: the stored position is cut to what
/// its owner shares besides, and its readers get an event.
enum OnMyWayRules {
  /// Ends ways, also those of people who arrived, as if they had not begun.
  ///
  /// - Parameter isPublished: Whether the mission's readers are to fetch who is coming; not where they
  ///   get the mission's event anyway, or may not know when it changed.
  static func end(
    _ ways: [StoredWay], isPublished: Bool = true, at time: WireTime, in database: Database
  ) throws {
    for way in ways {
      if isPublished { try publish(way, at: time, in: database) }
      try OnMyWayRecords.delete(way, in: database)
    }
    for owner in Set(ways.map(\.owner)).sorted() {
      try settle(owner, at: time, in: database)
    }
  }

  /// Notes an arrival at every mission whose place a report lies in. What the report leaves to be
  /// seen is up to the caller.
  static func arrive(
    _ owner: String, by report: LocationReport, at time: WireTime, in database: Database
  ) throws {
    guard report.precision ?? .precise == .precise, let place = report.coordinate,
      report.accuracyMetres ?? 0 <= MissionRules.worstAccuracy
    else { return }
    for var way in try OnMyWayRecords.all(of: owner, in: database)
    where way.until.map({ $0 > time }) ?? false {
      guard let mission = try MissionRecords.find(way.mission, in: database),
        MissionRules.isWithin(
          distance: place.distance(to: mission.centre), accuracy: report.accuracyMetres,
          radius: mission.radiusMetres)
      else { continue }
      way.until = nil
      way.arrivedAt = max(way.beganAt, min(report.recordedAt, time))
      try OnMyWayRecords.update(way, in: database)
      try publish(way, at: time, in: database)
      try SharingRecords.announce(to: owner, at: time, in: database)
    }
  }

  /// Ends the ways to a mission that is over, and shortens those that would last longer than it.
  static func follow(_ mission: StoredMission, at time: WireTime, in database: Database) throws {
    let ways = try OnMyWayRecords.all(to: mission.key, in: database)
    guard mission.phase(at: time).isOpen else {
      return try end(ways, isPublished: false, at: time, in: database)
    }
    for var way in ways {
      guard let until = way.until, let endsAt = mission.endsAt, endsAt < until else { continue }
      way.until = endsAt
      try OnMyWayRecords.update(way, in: database)
      try SharingRecords.announce(to: way.owner, at: time, in: database)
    }
  }

  /// Ends what somebody who is no member any more showed and saw in a mission.
  static func leave(
    _ person: String, _ mission: String, at time: WireTime, in database: Database
  ) throws {
    let own = try OnMyWayRecords.all(of: person, in: database).filter { $0.mission == mission }
    try end(own, at: time, in: database)
    for owner in try OnMyWayRecords.drop(person, in: mission, from: database) {
      try settle(owner, at: time, in: database)
    }
  }

  /// Hides a person's ways from a reader for good.
  static func hide(
    _ owner: String, from reader: String, at time: WireTime, in database: Database
  ) throws {
    for owner in try OnMyWayRecords.drop(reader, of: owner, from: database) {
      try settle(owner, at: time, in: database)
    }
  }

  /// Cuts a person's position to its audience, and has their clients fetch who sees it.
  static func settle(_ owner: String, at time: WireTime, in database: Database) throws {
    try LocationReconciler.reconcile(owner, at: time, in: database)
    try SharingRecords.announce(to: owner, at: time, in: database)
  }

  /// Has the clients of those who see a way, and of nobody else, fetch who is coming.
  static func publish(_ way: StoredWay, at time: WireTime, in database: Database) throws {
    try MissionReconciler.publish(
      .update, of: way.mission,
      to: OnMyWayRecords.readers(of: way, in: database).union([way.owner]), at: time, in: database)
  }
}
