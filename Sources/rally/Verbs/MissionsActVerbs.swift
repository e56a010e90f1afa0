import ArgumentParser
import FoundationEssentials
import RallyCommand
import RallyDomain
import RallySystem
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
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
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
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    let mission = try await session.mission(named: self.mission)
    let friends = try await session.friends(named: nil)
    let asked = try usernames.map { name in
      let username = try Username(name)
      guard let friend = friends.first(where: { $0.username == username.value }) else {
        throw VerbFailure(
          .refused, "No friend of yours is called @\(username).",
          advice: "`rally friends list` lists them.")
      }
      return friend
    }
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
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    let text = try MissionText.line(words.joined(separator: " "))
    let mission = try await session.mission(named: self.mission)
    let line = try await session.services.missionsService.sayInMission(mission.id, text: text)
    if global.json { try session.output.json(JSONValue(activity: line)) }
    session.output.message("Said in \(mission.title).")
  }
}
