import Foundation
import RallyStorage
import RallyWire

/// Series of missions: one row, whose times move on to the next occurrence when one is over.
///
/// People, invitations, place and talk stay; check-ins begin anew. What a moment makes of a row
/// depends on the row and the moment alone, so that it does not matter who finds it due, or how often.
package enum MissionSeriesFunctions {
  // MARK: - Making and changing

  /// The series of a new mission; nil for one that takes place once.
  static func series(
    of call: CreateMission, for mission: StoredMission
  ) throws(FunctionFailure) -> MissionSeries? {
    guard let repeats = call.repeats else {
      guard call.repeatUntil == nil else { throw notRepeating }
      return nil
    }
    return try checked(
      MissionSeries(
        repeats: repeats, startsAt: mission.startsAt, monthDay: call.monthDay,
        timeOfDay: call.timeOfDay, until: call.repeatUntil,
        timeZone: call.timeZone ?? LocalTimeZone.utc.identifier),
      of: mission)
  }

  /// Changes the series of a mission with its new times.
  ///
  /// - Parameter oldStart: When the current occurrence started before the call.
  package static func apply(
    _ call: UpdateMission, from oldStart: WireTime, to mission: inout StoredMission
  ) throws(FunctionFailure) {
    let old = mission.series
    var series = old
    switch call.repeats {
    case .keep: break
    case .clear: series = nil
    case .set(let repeats):
      series =
        old
        ?? MissionSeries(
          repeats: repeats, startsAt: mission.startsAt, timeZone: LocalTimeZone.utc.identifier)
      series?.repeats = repeats
    }
    guard var series else {
      guard call.repeatUntil.value == nil else { throw notRepeating }
      mission.fields.series = nil
      return
    }
    series.until = call.repeatUntil.applied(to: series.until)
    if let timeZone = call.timeZone { series.timeZone = timeZone }
    if var old,
      mission.startsAt != oldStart || old.repeats != series.repeats
        || old.timeZone != series.timeZone
    {
      old.until = series.until
      series = old.moved(
        to: mission.startsAt, from: oldStart, repeats: series.repeats, timeZone: series.timeZone)
    }
    mission.fields.series = try checked(series, of: mission)
  }

  private static let notRepeating = MissionInput.invalid(
    "Only a mission that repeats has an end of its repetition.")

  private static func checked(
    _ series: MissionSeries, of mission: StoredMission
  ) throws(FunctionFailure) -> MissionSeries {
    var series = series
    try check(series, of: mission)
    series.nextStartsAt = series.start(after: mission.startsAt)
    return series
  }

  private static func check(
    _ series: MissionSeries, of mission: StoredMission
  ) throws(FunctionFailure) {
    guard series.timeZone.utf8.count <= 64, LocalTimeZone(identifier: series.timeZone) != nil
    else { throw MissionInput.invalid("p_time_zone is a name such as Europe/Lisbon.") }
    guard series.isConsistent else {
      throw MissionInput.invalid(
        "p_month_day and p_time_of_day are those of p_starts_at, but where the month or the "
          + "clocks do not have them.")
    }
    guard let endsAt = mission.endsAt else {
      throw MissionInput.invalid(
        "A mission that repeats needs an end, after which the next one follows.")
    }
    let longest = series.repeats.longestOccurrence
    guard endsAt.since(mission.startsAt) <= longest else {
      let hours = longest.components.seconds / 3600
      let most = hours < 48 ? "\(hours) hours" : "\(hours / 24) days and \(hours % 24) hours"
      throw MissionInput.invalid("A mission that repeats \(series.repeats) lasts at most \(most).")
    }
    guard let until = series.until else { return }
    guard until >= mission.startsAt else {
      throw MissionInput.invalid("The repetition cannot end before the mission starts.")
    }
    guard until.since(series.startsAt) <= MissionSeries.longest else {
      throw MissionInput.invalid("A mission repeats for at most ten years; or without an end.")
    }
  }

  // MARK: - The next occurrence

  /// Moves every series on whose occurrence is over.
  package static func moveOn(at time: WireTime, in database: Database) throws {
    for key in try MissionRecords.seriesOver(at: time, in: database) {
      guard let mission = try MissionRecords.find(key, in: database) else { continue }
      try moveOn(mission, at: time, in: database)
    }
  }

  /// - Returns: The mission with the times that it has at this moment.
  @discardableResult
  package static func moveOn(
    _ mission: StoredMission, at time: WireTime, in database: Database
  ) throws -> StoredMission {
    var mission = mission
    guard let endsAt = mission.endsAt, endsAt <= time, mission.series?.nextStartsAt != nil else {
      return mission
    }
    // Where nobody looked for long, the first one that is not over yet.
    let length = endsAt.since(mission.startsAt)
    guard let next = mission.series?.start(after: time.advanced(by: .zero - length)) else {
      mission.fields.series?.nextStartsAt = nil
      try MissionReconciler.store(&mission, at: time, in: database)
      return mission
    }
    try begin(next, of: &mission, at: time, in: database)
    return mission
  }

  /// Leaves out the current occurrence.
  static func skip(
    _ mission: inout StoredMission, at time: WireTime, in database: Database
  ) throws {
    guard let series = mission.series, let next = series.nextStartsAt else {
      throw MissionInput.invalid(
        "“\(mission.title)” does not take place again; cancel it instead of leaving it out.")
    }
    let skipped = series.skipped + [mission.startsAt]
    mission.fields.series?.skipped = Array(skipped.suffix(MissionSeries.skipLimit))
    try begin(next, of: &mission, at: time, in: database)
  }

  private static func begin(
    _ start: WireTime, of mission: inout StoredMission, at time: WireTime, in database: Database
  ) throws {
    let length = mission.endsAt?.since(mission.startsAt)
    mission.fields.endsAt = length.map { start.advanced(by: $0) }
    mission.fields.startsAt = start
    (mission.state, mission.closedAt, mission.closedBy) = (.open, nil, nil)
    let next = mission.series?.start(after: start)
    mission.fields.series?.nextStartsAt = next
    try ObjectiveRecords.deleteCheckIns(of: mission.key, in: database)
    try OnMyWayRules.end(
      OnMyWayRecords.all(to: mission.key, in: database), isPublished: false, at: time, in: database)
    try MissionReconciler.store(&mission, at: time, in: database)
  }
}
