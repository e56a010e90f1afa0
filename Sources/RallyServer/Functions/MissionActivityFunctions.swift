import Foundation
import RallyWire

/// The lines of missions: reading them, and saying something.
struct MissionActivityFunctions: Sendable {
  /// After a mission is over its members can still talk about it for this long.
  static let talk = Duration.seconds(86_400)

  var budgets = BudgetKeeper()
  var now: @Sendable () -> WireTime = { .now }

  func fetchMissionActivity(
    _ call: FetchMissionActivity, caller: Caller, in database: Database
  ) throws -> [MissionActivityRecord] {
    let limit = try Slice(limit: call.limit, offset: nil).limit
    guard let id = call.missionID?.wrappedValue else {
      return try ActivityRecords.lines(
        ofAllOf: caller.userID, before: call.before, limit: limit, in: database)
    }
    let sight = try MissionContext(id, caller: caller, at: now(), in: database)
    try sight.requireJoined()
    return try ActivityRecords.lines(
      of: sight.mission.key, before: call.before, for: caller.userID, limit: limit, in: database)
  }

  func sayInMission(
    _ call: SayInMission, caller: Caller, in database: Database
  ) throws -> MissionActivityRecord {
    let time = now()
    let sight = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    try sight.requireJoined()
    let text = try MissionInput.text(call.text, MissionText.line)
    if let over = sight.mission.over(at: time, hidden: sight.reader.hidden),
      time >= over.advanced(by: MissionActivityFunctions.talk)
    {
      throw FunctionFailure(
        .missionOver, "“\(sight.mission.title)” is over for more than a day; nothing can be said.")
    }
    try budgets.requireRoom(
      .messagesPerMission,
      beside: try ActivityRecords.count(in: sight.mission.key, from: database),
      of: caller.userID, at: time, in: database
    ) { _ in "“\(sight.mission.title)” has no room for more; make a new mission for it." }
    try budgets.charge(text.utf8.count, to: caller.userID, at: time, in: database)
    let id = try ActivityRecords.append(
      ActivityLine(kind: .said, userID: caller.userID, text: text), to: sight.mission.key,
      at: time, in: database)
    guard let line = try ActivityRecords.find(id, in: database) else {
      throw StorageFailure.damaged("the line is gone")
    }
    return line
  }
}
