import ArgumentParser
import RallyCommand
import RallyDomain
import RallyWire

/// Checks everything that Rally depends on and prints the findings.
struct DoctorVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Examine terminal, paths, secrets, server, clock, signals and desktop.",
    discussion: """
      The terminal that it runs in is asked what it understands and how wide it draws, which takes \
      less than a second; --no-query leaves that out. Everything that is wrong comes last, with \
      what to do about it. It ends with 4 when the server is not reached, else with 1 when \
      something is wrong that Rally suffers from, else with 0.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Ask the terminal nothing.") var noQuery = false

  func run() async throws {
    let setup = try await Setup(global)
    let report = await DoctorReport(setup, global, asksTerminal: !noQuery)
    let output = Output(options: global)
    if global.json { try output.json(report) } else { output.table(report.rows) }
    if report.server.error != nil {
      throw VerbFailure(.offline, "The server is not reached.")
    }
    let grave = report.problems.count(where: \.isGrave)
    if grave > 0 {
      throw VerbFailure(.failed, grave == 1 ? "Something is wrong." : "\(grave) things are wrong.")
    }
  }
}
