import Foundation
import RallyStorage
import RallyWire

struct MissionActivityFunctions: Sendable {
  /// How long members may post after a mission is over.
  static let talk = Duration.seconds(86_400)

  var budgets = BudgetKeeper()
  var now: @Sendable () -> WireTime = { .now }

  func fetchMissionActivity(
    _ call: FetchMissionActivity, caller: Caller, in database: Database
  ) throws -> [MissionActivityRecord] {
    let limit = try Slice(limit: call.limit, offset: nil).limit
    guard let id = call.missionID else {
      return try ActivityRecords.lines(
        ofAllOf: caller.userID, before: call.before, limit: limit, in: database)
    }
    let context = try MissionContext(id, caller: caller, at: now(), in: database)
    try context.requireJoined()
    return try ActivityRecords.lines(
      of: context.mission.key, before: call.before, for: caller.userID, limit: limit, in: database)
  }

  func sayInMission(
    _ call: SayInMission, caller: Caller, in database: Database
  ) throws -> MissionActivityRecord {
    let time = now()
    let context = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    try context.requireJoined()
    let text = try MissionInput.text(call.text, MissionText.line)
    if let over = context.mission.over(at: time, hidden: context.reader.hidden),
      time >= over.advanced(by: MissionActivityFunctions.talk)
    {
      throw FunctionFailure(
        .missionOver, "“\(context.mission.title)” is over for more than a day; nothing can be said."
      )
    }
    try budgets.requireRoom(
      .messagesPerMission,
      beside: try ActivityRecords.count(in: context.mission.key, from: database),
      of: caller.userID, at: time, in: database
    ) { _ in "“\(context.mission.title)” has no room for more; make a new mission for it." }
    try budgets.charge(text.utf8.count, to: caller.userID, at: time, in: database)
    let id = try ActivityRecords.append(
      ActivityLine(kind: .said, userID: caller.userID, text: text), to: context.mission.key,
      at: time, in: database)
    guard let line = try ActivityRecords.find(id, in: database) else {
      throw StorageFailure.damaged("the line is gone")
    }
    return line
  }
}
