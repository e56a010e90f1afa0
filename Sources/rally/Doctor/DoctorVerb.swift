import ArgumentParser
import RallyCommand
import RallyDomain
import RallySystem
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

extension DoctorReport {
  /// The report as text: a name and a finding per row.
  var rows: [[String]] {
    var rows = [
      ["version", version], ["profile", profile],
      ["session", isSignedIn ? "signed in" : "nobody is signed in"],
    ]
    rows += terminal.rows
    rows.append(["notifications", notifications.sentence])
    rows.append(["desktop", desktop])
    rows += files.map(\.row)
    rows += secrets.map(\.row)
    rows.append([
      "secrets",
      secrets.isEmpty
        ? "none on this machine"
        : "session tokens in files of the state folder, readable by you alone",
    ])
    rows.append([
      "server",
      server.isReached
        ? [server.name, server.version, "answers in \(server.milliseconds ?? 0) ms"]
          .compactMap(\.self).joined(separator: ", ")
        : "\(server.name): \(server.error ?? "")",
    ])
    rows.append(["server program", serverProgram ?? "not found"])
    rows.append(["clock", clockSentence])
    rows.append([
      "streets",
      streets.isEmpty
        ? "none on this machine; rally map add brings some"
        : streets.compactMap(\.name).joined(separator: ", "),
    ])
    rows.append([
      "policy",
      [policy.level, policy.cause, policy.effect].compactMap(\.self).joined(separator: " · "),
    ])
    for signal in policy.signals {
      rows.append([
        "  \(signal.signal.name)",
        [signal.value, signal.source, signal.detail].compactMap(\.self).joined(separator: " · "),
      ])
      rows += signal.providers.map { ["    \($0.provider)", $0.sentence] }
    }
    rows.append(["sources", sources.sentence])
    rows += location.map { ["  \($0.source)", $0.sentence] }
    rows += trace.suffix(5).map { ["sync", "\($0.at.zulu) \($0.directive) — \($0.cause)"] }
    rows += problems.map { ["\($0.isGrave ? "problem" : "hint")", "\($0.problem) \($0.advice)"] }
    return rows
  }

  private var desktop: String {
    guard bus.address != nil else { return "no session bus was found" }
    if let server = bus.server { return "\(server) shows notifications on the session bus" }
    return "a session bus without notifications: \(bus.problem ?? "no answer")"
  }

  private var clockSentence: String {
    guard let skew = clock.skewSeconds else { return "the server does not tell the time" }
    if abs(skew) <= 1 { return "in step with the server's" }
    return "the server's is \(abs(skew)) s \(skew > 0 ? "ahead" : "behind")"
  }
}
