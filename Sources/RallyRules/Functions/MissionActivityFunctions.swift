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

/// Checking in at an objective. The position is checked and not stored.
struct CheckInFunctions: Sendable {
  var now: @Sendable () -> WireTime = { .now }

  func checkIn(_ call: CheckIn, caller: Caller, in database: Database) throws -> MissionRecord {
    let time = now()
    var context = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    try context.requireJoined()
    var objectives = try ObjectiveRecords.all(of: context.mission.key, in: database)
    guard let index = objectives.firstIndex(where: { $0.id == call.objectiveID }) else {
      throw FunctionFailure(.notFound, "“\(context.mission.title)” has no such objective.")
    }
    // Somebody else has completed it: the call succeeds, wherever the caller is.
    if objectives[index].isDone { return try context.record(in: database) }
    try context.requireActive()
    try CheckInFunctions.requirePresence(call, at: objectives[index], of: context.mission)
    objectives[index].checkIns += 1
    let objective = objectives[index]
    try ObjectiveRecords.insertCheckIn(
      objective.checkIns, at: objective.id.wireText, by: caller.userID, at: time, in: database)
    try ActivityRecords.append(
      ActivityLine(kind: .checkedIn, userID: caller.userID, objective: objective),
      to: context.mission.key, at: time, in: database)
    if objectives.allSatisfy(\.isDone) {
      try MissionReconciler.close(
        &context.mission, as: .completed, by: caller.userID, at: time, in: database)
    } else {
      try MissionReconciler.hint(
        of: context.mission.key, through: caller.userID, at: time, in: database)
    }
    return try context.record(in: database)
  }

  /// - Throws: `invalid_argument`, `too_vague`, or `outside` with the distance.
  private static func requirePresence(
    _ call: CheckIn, at objective: StoredObjective, of mission: StoredMission
  ) throws {
    let position = try MissionInput.place(latitude: call.latitude, longitude: call.longitude)
    if let accuracy = call.accuracyMetres {
      guard accuracy >= 0 else { throw MissionInput.invalid("p_accuracy_m cannot be negative.") }
      guard accuracy <= MissionRules.worstAccuracy else {
        throw FunctionFailure(
          .tooVague,
          "Your position is only known to \(words(metres: accuracy)); a check-in takes"
            + " \(words(metres: MissionRules.worstAccuracy)) or better.")
      }
    }
    let radius =
      objective.place == nil
      ? mission.radiusMetres : objective.radiusMetres ?? mission.radiusMetres
    let distance = position.distance(to: objective.place ?? mission.centre)
    guard
      MissionRules.isWithin(distance: distance, accuracy: call.accuracyMetres, radius: radius)
    else {
      var failure = FunctionFailure(
        .outside,
        "You are \(words(metres: distance)) away; \(objective.title) takes"
          + " \(words(metres: radius)).")
      failure.details = "distance_m=\(Int(distance.rounded()))"
      throw failure
    }
  }

  /// `240 m`, `1.2 km`, `340 km`.
  private static func words(metres: Double) -> String {
    if metres.rounded() < 1000 { return "\(Int(metres.rounded())) m" }
    let tenths = (metres / 100).rounded()
    let isWhole = metres >= 10_000 || tenths.truncatingRemainder(dividingBy: 10) == 0
    return isWhole ? "\(Int((metres / 1000).rounded())) km" : "\(tenths / 10) km"
  }
}
