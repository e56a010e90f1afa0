import ArgumentParser
import FoundationEssentials
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords

/// A verb that acts on one mission and prints its new state.
struct MissionVerb<Act: MissionAct>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Act.name, abstract: Act.abstract, discussion: Act.discussion)
  }

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let found = try await session.mission(named: mission)
    let mission = try await Act.act(on: found.id, with: session.services.missionsService)
    if global.json { try session.output.json(JSONValue(mission: mission)) }
    session.output.message(Act.sentence(on: mission))
  }
}

/// What such a verb is called and does.
protocol MissionAct {
  static var name: String { get }
  static var abstract: String { get }
  static var discussion: String { get }
  static func act(on id: UUID, with service: MissionsService) async throws -> Mission
  static func sentence(on mission: Mission) -> String
}

extension MissionAct {
  static var discussion: String { "" }
}

enum MissionsJoin: MissionAct {
  static let name = "join"
  static let abstract = "Join a mission, or accept the invitation to it."

  static func act(on id: UUID, with service: MissionsService) async throws -> Mission {
    try await service.joinMission(id)
  }
  static func sentence(on mission: Mission) -> String { OutcomeText.joined(mission) }
}

enum MissionsLeave: MissionAct {
  static let name = "leave"
  static let abstract = "Leave a mission, or decline the invitation to it."

  static func act(on id: UUID, with service: MissionsService) async throws -> Mission {
    try await service.leaveMission(id)
  }
  static func sentence(on mission: Mission) -> String { "You are no longer in \(mission.title)." }
}

enum MissionsComplete: MissionAct {
  static let name = "complete"
  static let abstract = "Complete a mission that you created."

  static func act(on id: UUID, with service: MissionsService) async throws -> Mission {
    try await service.completeMission(id)
  }
  static func sentence(on mission: Mission) -> String { OutcomeText.completed(mission) }
}

enum MissionsCancel: MissionAct {
  static let name = "cancel"
  static let abstract = "Cancel a mission that you created."

  static func act(on id: UUID, with service: MissionsService) async throws -> Mission {
    try await service.cancelMission(id)
  }
  static func sentence(on mission: Mission) -> String { "\(mission.title) is cancelled." }
}

struct MissionsInvite: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Ask friends to join a mission that you are in.",
    discussion: "`rally invite create --mission MISSION` makes a code for who is no friend yet.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String
  @Argument(help: "Your friends' usernames.") var usernames: [String]

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let mission = try await session.mission(named: self.mission)
    let friends = try await session.friends()
    let asked = try usernames.map { name in try friends.friend(named: name) { $0.username } }
    let missionsService = await session.services.missionsService
    try await missionsService.inviteToMission(mission.id, userIDs: asked.map(\.id))
    if global.json {
      let changed = try await missionsService.fetchMission(mission.id)
      try session.output.json(JSONValue(mission: changed))
    }
    let known = Set(mission.record.members.filter { $0.state != .left }.map(\.userID))
    let new = asked.filter { !known.contains($0.id) }.map(\.handle)
    let old = asked.filter { known.contains($0.id) }.map(\.handle)
    if !new.isEmpty {
      session.output.message("You asked \(new.joined(separator: ", ")) into \(mission.title).")
    }
    if !old.isEmpty {
      session.output.message(
        "In \(mission.title) already, or asked into it: \(old.joined(separator: ", ")).")
    }
  }
}

struct MissionsSay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "say", abstract: "Say something to the people of a mission.",
    discussion: "With --json the line is printed as `rally feed` prints it.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String
  @Argument(help: "At most 500 characters; several words need no quotation marks.")
  var words: [String]

  func run() async throws {
    let session = try await CommandSession.signedIn(global)
    let text = try MissionText.line(words.joined(separator: " "))
    let mission = try await session.mission(named: self.mission)
    let line = try await session.services.missionsService.sayInMission(mission.id, text: text)
    if global.json { try session.output.json(JSONValue(activity: line)) }
    session.output.message("Said in \(mission.title).")
  }
}

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
    let session = try await CommandSession.signedIn(global)
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
