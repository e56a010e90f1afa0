import Foundation
import RallyTestSupport

/// Measures the release binary in a terminal and prints one table.
///
/// `--quick` takes fewer samples and idles for a shorter time. To run only a part: `--starts-only`
/// measures only the first frames, in turns with the installed programs to compare with,
/// `--keys-only` only the program's size, keys and long lists, `--comparisons-only` only those
/// programs, `--missions-only` only a server with many missions, `--scale-only` only the load tests of one
/// machine, `--people-only` only their searches and lists of friends, `--sockets-only` only their
/// open sockets, `--phones-only` only posts of phones beside open sockets, `--crowd-only` only
/// people on the way to one mission, `--requests-only` only the requests of two open clients,
/// `--friends-only` only what events cost the program with 10,000 friends, `--guests-only` only people
/// who come in over SSH, `--hostile-only` only the largest bodies in hostile shapes to every route,
/// `--guesses-only` only guesses at the codes of invitations, `--cluster-only` only servers on one
/// PostgreSQL, whose costs are written to the file that follows. `--scale-small` and
/// `--cluster-small` are small runs that only check that the load tests work. `--strict` fails if a
/// target is not met.
@main struct Bench {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let plan = arguments.contains("--quick") ? Plan.quick : Plan.full
    var table = ResultTable()
    do {
      if try await generate(arguments) { return }
      if let part = parts.first(where: arguments.contains) {
        try await measure(only: part, of: arguments, plan, into: &table)
      } else {
        if !arguments.contains("--comparisons-only") {
          try await measureProgram(plan, into: &table)
          if !arguments.contains("--quick") { try await measureLoads(plan, into: &table) }
        }
        for program in ComparisonProgram.installed {
          program.measure(plan: plan, into: &table)
        }
      }
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      print(table)
      exit(1)
    }
    finish(table)
  }

  /// Each runs alone; of several the first one does.
  private static let parts = [
    "--sockets-only", "--people-only", "--guests-only", "--requests-only", "--friends-only",
    "--hostile-only", "--guesses-only", "--crowd-only", "--phones-only", "--scale-small",
    "--scale-only", "--cluster-only", "--cluster-small", "--missions-only", "--starts-only",
    "--keys-only",
  ]

  private static func measure(
    only part: String, of arguments: [String], _ plan: Plan, into table: inout ResultTable
  ) async throws {
    switch part {
    case "--sockets-only":
      try await ScaleMeasurements(plan: .socketsOnly).measureSockets(into: &table)
      try await ScaleMeasurements(plan: .mostSockets).measureMostSockets(into: &table)
    case "--people-only": try await ScaleMeasurements(plan: .full).measurePeople(into: &table)
    case "--guests-only":
      let count = arguments.contains("--quick") ? 20 : 100
      try await GuestMeasurements(plan: plan, count: count).measure(into: &table)
    case "--requests-only":
      try await RequestMeasurements().measure(into: &table)
      try await ManyFriendsMeasurements().measure(into: &table)
      try await ManyFriendsScreenMeasurements().measure(into: &table)
    case "--friends-only": try await ManyFriendsScreenMeasurements().measure(into: &table)
    case "--hostile-only": try await HostileMeasurements().measure(into: &table)
    case "--guesses-only": try await GuessMeasurements().measure(into: &table)
    case "--crowd-only": try await CrowdMeasurements(plan: plan).measure(into: &table)
    case "--phones-only": try await ScaleMeasurements(plan: .phones).measurePhones(into: &table)
    case "--scale-small": try await ScaleMeasurements(plan: .small).measure(into: &table)
    case "--scale-only": try await ScaleMeasurements(plan: .full).measure(into: &table)
    case "--cluster-only", "--cluster-small":
      let plan = part == "--cluster-small" ? ClusterPlan.small : .full
      let costs = try await ClusterMeasurements(plan: plan).measure(into: &table)
      if let file = arguments.drop(while: { $0 != part }).dropFirst().first {
        try costs.write(to: file)
      }
    case "--missions-only": try await MissionMeasurements(plan: plan).measure(into: &table)
    case "--starts-only":
      try StartMeasurements(server: try await signedIn(), plan: plan).measure(into: &table)
    default:
      let server = try await signedIn()
      try ProgramMeasurements(server: server, plan: plan).measure(into: &table)
      try RallyMeasurements(server: server, plan: plan).measureKeys(into: &table)
      try ListMeasurements(server: server, plan: plan).measure(into: &table)
    }
  }

  private static func measureProgram(_ plan: Plan, into table: inout ResultTable) async throws {
    try MapMeasurements(plan: plan).measure(into: &table)
    try await StreetMeasurements(plan: plan).measure(into: &table)
    let server = try await signedIn()
    try ProgramMeasurements(server: server, plan: plan).measure(into: &table)
    try StartMeasurements(server: server, plan: plan).measure(into: &table)
    try RallyMeasurements(server: server, plan: plan).measure(into: &table)
    try MapScreenMeasurements(server: server, plan: plan).measure(into: &table)
    try ListMeasurements(server: server, plan: plan).measure(into: &table)
    try await MissionMeasurements(plan: plan).measure(into: &table)
  }

  private static func measureLoads(_ plan: Plan, into table: inout ResultTable) async throws {
    try await ScaleMeasurements(plan: .full).measure(into: &table)
    try await ScaleMeasurements(plan: .mostSockets).measureMostSockets(into: &table)
    try await ScaleMeasurements(plan: .phones).measurePhones(into: &table)
    try await CrowdMeasurements(plan: plan).measure(into: &table)
    try await GuessMeasurements().measure(into: &table)
  }

  private static func signedIn() async throws -> BenchmarkServer {
    let server = try await BenchmarkServer()
    try await server.signIn()
    return server
  }

  /// The path of this program, which also runs as the load generator.
  static let executable =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    ?? CommandLine.arguments[0]

  /// Prints the table; with `--strict` a value over its target, or one that was not seen, is a
  /// failure.
  private static func finish(_ table: ResultTable) {
    print(table)
    if CommandLine.arguments.contains("--strict"), !table.isWithinTargets { exit(1) }
  }

  /// Runs as a load generator in a process of its own; returns false if the arguments name none.
  private static func generate(_ arguments: [String]) async throws -> Bool {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case SocketLoad.flag: try SocketLoad.run(rest)
    case RequestLoad.flag: try RequestLoad.run(rest)
    case HelloServer.flag: try await HelloServer.run()
    default: return false
    }
    return true
  }
}

/// How many samples are taken.
struct Plan {
  var starts: Int
  var keys: Int
  var requests: Int
  var idle: Duration

  static let full = Plan(starts: 30, keys: 500, requests: 40, idle: .seconds(60))
  static let quick = Plan(starts: 7, keys: 100, requests: 8, idle: .seconds(10))
}

/// Prints on stderr what is being measured, since a run takes long.
func progress(_ what: String) {
  FileHandle.standardError.write(Data("measuring \(what)\n".utf8))
}
