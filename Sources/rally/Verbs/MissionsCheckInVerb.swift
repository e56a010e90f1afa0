import ArgumentParser
import RallyCommand
import RallyDomain
import RallyText
import RallyWire

struct MissionsCheckIn: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-in", abstract: "Say that you are where something is to be done.",
    discussion: """
      The members read that you were there; your position is neither stored nor shown. Without an \
      objective it is the only one that is left, or the only one that you are near enough to.
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var places: PlaceOptions
  @Argument(help: "The mission.") var mission: String
  @Argument(help: "The objective: the start of its title or id, or its number.")
  var objective: String?
  @Option(parsing: .unconditional, help: "Where you are, if not where you said before.")
  var at: String?

  func run() async throws {
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    let given: Place? = if let at { try await session.place(typed: at, places) } else { nil }
    let known = await session.fix()
    guard let place = given?.coordinate ?? known?.coordinate else {
      throw VerbFailure(
        .usage, "Nobody knows where you are.",
        advice: "Give --at PLACE, or say it with `rally location set PLACE`.")
    }
    let accuracy = given == nil ? known?.accuracyMetres : given?.radiusMetres
    let privacy = await session.restoredPrivacyRules
    if let refusal = await privacy.checkInRefusal(
      at: place, accuracyMetres: accuracy,
      removal: { "`rally location zone remove \($0.shellWord)`." })
    {
      throw VerbFailure(.refused, refusal)
    }
    let mission = try await session.mission(named: self.mission)
    let target = try ObjectiveChoice.objective(
      named: objective, of: mission, at: place, accuracyMetres: accuracy)
    if let accuracy, let refusal = CheckInAdvice.tooVague(accuracyMetres: accuracy) {
      throw VerbFailure(
        .refused, refusal,
        advice: "Give the exact place: --at 38.7223,-9.1393, or `rally location set "
          + "38.7223,-9.1393` for good; or let a phone report it: `rally location phone add`.")
    }
    let changed = try await session.services.missionsService.checkIn(
      target.id, of: mission.id, at: place, accuracyMetres: accuracy)
    if global.json { try session.output.json(JSONValue(mission: changed)) }
    session.output.message(
      changed.state == .completed
        ? "You checked in at \(target.title): \(mission.title) is completed."
        : "You checked in at \(target.title).")
  }
}

/// Finds the objective that the arguments mean.
enum ObjectiveChoice {
  /// - Parameter name: nil for the only one that is not done, or the only such one nearby.
  /// - Throws: `VerbFailure` with `usage` that lists the objectives.
  static func objective(
    named name: String?, of mission: Mission, at place: Coordinate, accuracyMetres: Double?
  ) throws -> ObjectiveRecord {
    let objectives = mission.record.objectives
    guard !objectives.isEmpty else {
      throw VerbFailure(
        .usage, "\(mission.title) has nothing to check in at.",
        advice: "Its creator completes it with `rally missions complete`.")
    }
    let found: [ObjectiveRecord]
    if let name {
      found = matches(for: name, in: objectives)
    } else {
      let left = objectives.filter { !$0.isDone }
      let near = left.filter { objective in
        guard let (centre, radius) = mission.record.place(of: objective) else { return false }
        return MissionRules.isWithin(
          distance: place.distance(to: centre), accuracy: accuracyMetres, radius: radius)
      }
      found = left.count == 1 ? left : near
    }
    guard let objective = found.first, found.count == 1 else {
      let names = objectives.enumerated().map { number, objective in
        "  \(number + 1)  \(objective.title)\(objective.isDone ? " (done)" : "")"
      }
      throw VerbFailure(
        .usage, "Which objective of \(mission.title)?",
        advice: "Write its number or the start of its title:\n" + names.joined(separator: "\n"))
    }
    return objective
  }

  private static func matches(
    for name: String, in objectives: [ObjectiveRecord]
  ) -> [ObjectiveRecord] {
    if let number = Int(name), objectives.indices.contains(number - 1) {
      return [objectives[number - 1]]
    }
    let exact = objectives.filter { $0.title.folded == name.folded }
    if exact.count == 1 { return exact }
    return objectives.filter {
      $0.title.foldedStarts(with: name)
        || name.count >= 4 && $0.id.wireText.hasPrefix(name.lowercased())
    }
  }
}
