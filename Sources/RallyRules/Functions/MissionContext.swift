import Foundation
import RallyStorage
import RallyWire

/// A mission with the caller's membership; the start of every mission function.
struct MissionContext: Sendable {
  package var mission: StoredMission
  var member: StoredMember?
  let reader: MissionReader

  var isJoined: Bool { member?.state == .joined }
}

extension MissionContext {
  /// - Throws: `not_found` for an unknown mission and for one that the caller may not see.
  init(_ id: UUID, caller: Caller, at time: WireTime, in database: Database) throws {
    // Everything is read for an unknown mission too, so that it takes as long as a hidden one.
    member = try MissionMemberRecords.find(caller.userID, in: id.wireText, from: database)
    reader = try MissionReader(caller.userID, at: time, in: database)
    guard let mission = try MissionRecords.find(id.wireText, in: database),
      try MissionAccess.canSee(mission, as: member?.state, reader: reader, in: database)
    else { throw MissionContext.unknown }
    self.mission = mission
  }

  static var unknown: FunctionFailure {
    FunctionFailure(.notFound, "There is no mission with this id.")
  }

  func record(in database: Database) throws -> MissionRecord {
    try MissionAccess.record(of: mission, as: member?.state, reader: reader, in: database)
  }

  // MARK: - Requirements

  func requireJoined() throws {
    guard isJoined else {
      throw FunctionFailure(.notMember, "Only members of “\(mission.title)” can do this; join it.")
    }
  }

  func requireCreator() throws {
    guard mission.creator == reader.userID else {
      throw FunctionFailure(.notCreator, "Only who created “\(mission.title)” can do this.")
    }
  }

  /// Upcoming or active.
  func requireOpen() throws {
    let words: String
    switch mission.phase(at: reader.time) {
    case .upcoming, .active: return
    case .completed: words = "is completed"
    case .cancelled: words = "was cancelled"
    case .ended: words = "has ended"
    }
    throw FunctionFailure(.missionOver, "“\(mission.title)” \(words).")
  }

  func requireActive() throws {
    try requireOpen()
    guard mission.phase(at: reader.time) == .active else {
      throw FunctionFailure(.notStarted, "“\(mission.title)” has not started yet.")
    }
  }
}

/// Validates the input of mission functions.
enum MissionInput {
  static func invalid(_ advice: String) -> FunctionFailure {
    FunctionFailure(.invalidArgument, advice)
  }

  static func text(
    _ text: String, _ rule: (String) throws(FieldProblem) -> String
  ) throws(FunctionFailure) -> String {
    do {
      return try rule(text)
    } catch {
      throw invalid(error.advice)
    }
  }

  static func place(latitude: Double, longitude: Double) throws(FunctionFailure) -> Coordinate {
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw invalid("Latitude is in -90...90, longitude in -180...180.")
    }
    return place
  }

  /// - Returns: nil when neither number is there.
  static func place(latitude: Double?, longitude: Double?) throws(FunctionFailure) -> Coordinate? {
    switch (latitude, longitude) {
    case (nil, nil): return nil
    case (let latitude?, let longitude?):
      return try place(latitude: latitude, longitude: longitude)
    default: throw invalid("Give both latitude and longitude, or neither.")
    }
  }

  /// Makes the changes of a call, with texts and places as they are stored.
  static func apply(
    _ changes: MissionChanges, to fields: inout MissionFields
  ) throws(FunctionFailure) {
    var checked: MissionChanges
    do { checked = try changes.checkingTexts() } catch { throw invalid(error.advice) }
    if let place = try place(latitude: changes.latitude, longitude: changes.longitude) {
      checked.setCentre(place)
    }
    checked.apply(to: &fields)
  }

  static func check(_ mission: MissionFields, at now: WireTime) throws(FunctionFailure) {
    guard MissionRules.radii.contains(mission.radiusMetres) else {
      throw invalid("Choose a radius between 10 m and 100 km.")
    }
    if let capacity = mission.capacity, !MissionRules.capacities.contains(capacity) {
      throw invalid(
        "Choose between \(MissionRules.capacities.lowerBound) and"
          + " \(MissionRules.capacities.upperBound) places, or no limit.")
    }
    guard let endsAt = mission.endsAt else { return }
    guard endsAt > mission.startsAt else { throw invalid("The end must come after the start.") }
    guard endsAt > now else { throw invalid("The end must lie in the future.") }
    guard endsAt.since(mission.startsAt) <= MissionRules.longestDuration else {
      throw invalid("A mission lasts at most 366 days; choose an earlier end or none.")
    }
  }

  /// - Parameter old: The mission's current objectives, which the input may refer to by id.
  static func objectives(
    _ inputs: [ObjectiveInput], replacing old: [StoredObjective] = []
  ) throws(FunctionFailure) -> [StoredObjective] {
    guard inputs.count <= MissionRules.objectiveLimit else {
      throw invalid("A mission has at most \(MissionRules.objectiveLimit) objectives.")
    }
    var seen: Set<UUID> = []
    var objectives: [StoredObjective] = []
    for (index, input) in inputs.enumerated() {
      func refused(_ problem: String) -> FunctionFailure {
        invalid("Objective \(index + 1): \(problem)")
      }
      let before = old.first { $0.id == input.id }
      if let id = input.id {
        guard before != nil else { throw refused("this mission has none with this id.") }
        guard seen.insert(id).inserted else { throw refused("it stands there twice.") }
      }
      let title: String
      let place: Coordinate?
      do {
        title = try MissionInput.text(input.title, MissionText.objective)
        place = try MissionInput.place(latitude: input.latitude, longitude: input.longitude)
      } catch {
        throw refused(error.message)
      }
      if let radius = input.radiusMetres {
        guard place != nil else { throw refused("a radius needs a place of its own.") }
        guard MissionRules.objectiveRadii.contains(radius) else {
          throw refused("choose a radius between 10 m and 100 km.")
        }
      }
      let needed = input.count ?? 1
      guard MissionRules.counts.contains(needed) else {
        throw refused("ask for 1 to \(MissionRules.counts.upperBound) check-ins.")
      }
      objectives.append(
        StoredObjective(
          id: before?.id ?? UUID(), title: title, place: place, radiusMetres: input.radiusMetres,
          needed: needed, checkIns: before?.checkIns ?? 0, lastBy: before?.lastBy,
          lastAt: before?.lastAt))
    }
    return objectives
  }
}
