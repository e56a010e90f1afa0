import ArgumentParser
import Glibc
import RallyCommand
import RallyDomain
import RallyText
import RallyWire
import RallyWords

struct MissionsCard: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "card", abstract: "Print what became of a mission: who did what, when, how far.",
    discussion: """
      The card is text, or with --svg a picture of 640 by 480. It tells what every member sees in \
      the mission, and where nobody is: a distance is from one objective to the next.

      With --json: title, phase, starts_at, ended_at, place, metres, members, other_members and \
      objectives (title, is_done, check_ins, count, by, at, metres).
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The mission.") var mission: String
  @Flag(help: "Write an SVG picture.") var svg = false
  @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
  var output: String?

  func run() async throws {
    if svg, global.json {
      throw VerbFailure(
        .usage, "A card is either a picture or JSON.", advice: "Leave out --svg or --json.")
    }
    let session = try await CommandSession(global)
    _ = try await session.requireSession()
    let mission = try await session.mission(named: self.mission)
    let place = PlaceFinder.world.nearest(mission.centre)?.name
    let card = MissionCard(mission, place: place, now: .now)
    if global.json { return try session.output.json(card) }
    let text = svg ? card.svg() : card.text() + "\n"
    guard let output else {
      if svg { return Output.write(text, to: STDOUT_FILENO) }
      for line in card.lines() { session.output.data(line) }
      return
    }
    try Output.write(text, toFile: output)
    session.output.message("The card of \(card.title) is in \(output).")
  }
}
