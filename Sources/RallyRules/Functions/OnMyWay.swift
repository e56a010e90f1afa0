import Foundation
import RallyStorage
import RallyWire

/// Ends ways to missions, in the transaction of what ends them: the stored position is cut to what
/// its owner shares besides, and its readers are told.
enum OnMyWay {
  /// Ends ways, also those of people who arrived, as if they had not begun.
  ///
  /// - Parameter isTold: Whether the mission's readers are to fetch who is coming; not where they
  ///   are told of the mission anyway, or may not know when it changed.
  static func end(
    _ ways: [StoredWay], isTold: Bool = true, at time: WireTime, in database: Database
  ) throws {
    for way in ways {
      if isTold { try tell(way, at: time, in: database) }
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
      try tell(way, at: time, in: database)
      try SharingRecords.announce(to: owner, at: time, in: database)
    }
  }

  /// Ends the ways to a mission that is over, and shortens those that would last longer than it.
  static func follow(
    _ mission: StoredMission, at time: WireTime, in database: Database
  ) throws {
    let ways = try OnMyWayRecords.all(to: mission.key, in: database)
    guard mission.phase(at: time).isOpen else {
      return try end(ways, isTold: false, at: time, in: database)
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
  static func tell(_ way: StoredWay, at time: WireTime, in database: Database) throws {
    try MissionReconciler.tell(
      .update, of: way.mission,
      to: OnMyWayRecords.readers(of: way, in: database).union([way.owner]), at: time, in: database)
  }
}
