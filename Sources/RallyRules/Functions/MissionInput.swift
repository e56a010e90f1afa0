import Foundation
import RallyWire

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

  static func check(_ mission: StoredMission, at now: WireTime) throws(FunctionFailure) {
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
      let before = old.first { $0.id == input.id?.wrappedValue }
      if let id = input.id?.wrappedValue {
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
