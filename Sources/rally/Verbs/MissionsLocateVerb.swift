import ArgumentParser
import RallyCommand
import RallyDomain
import RallySystem
import RallyText
import RallyWire

struct MissionsLocate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Ask the friends in a mission who have not arrived where they are.",
    discussion: """
      Each answers with a share, or not at all, and you are told nothing but the share. Not asked \
      are those who arrived or show you the way, members who are no friends, and friends whom you \
      asked in the last ten minutes. With --json a row has username and result: asked, arrived, \
      on_the_way, not_friend or asked_before.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String

  func run() async throws {
    let session = try await CommandSession(global)
    let me = try await session.requireSession().user.id
    let mission = try await session.mission(named: self.mission)
    guard mission.myState == .joined else {
      throw VerbFailure(
        .refused, "You are not in \(mission.title).",
        advice: "`rally missions join` joins it.")
    }
    let service = await session.services.friendsService
    async let friends = session.friends(named: nil)
    async let coming = session.services.missionsService.fetchComing()
    async let asks = service.fetchLocationAsks()
    let ask = try await MissionAsk(
      in: mission, by: me, friends: friends, coming: coming, asks: LocationAsks(asks), at: .now)
    for friend in ask.asked { try await service.askLocation(of: friend.id) }
    let rows =
      ask.asked.map { Row(username: $0.username, result: "asked") }
      + ask.others.map { Row(username: $0.member.username, result: $0.reason.rawValue) }
    if global.json {
      try session.output.json(rows)
    } else {
      session.output.table(rows.map { ["@\($0.username)".cleanedForDisplay, $0.words] })
    }
    session.output.message(ask.sentence(asked: ask.asked.count))
  }

  private struct Row: Encodable {
    var username: String
    var result: String
    var words: String { result.replacing("_", with: " ") }

    enum CodingKeys: String, CodingKey { case username, result }
  }
}
