import ArgumentParser
import Foundation
import RallyDomain
import RallyWire

/// Looks at everything that Rally stands on, and says what it found.
struct DoctorVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Examine terminal, paths, server, session and policy.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let setup = try await Setup(global)
    let report = await DoctorReport(setup)
    let output = Output(options: global)
    if global.json { try output.json(report) } else { output.table(report.rows) }
    if report.server.error != nil {
      throw VerbFailure(.offline, "The server is not reached.")
    }
  }
}

/// What `rally doctor --json` prints.
struct DoctorReport: Encodable {
  struct Terminal: Encodable {
    var type: String?
    var isTerminal: Bool
    var colors: Bool
    var language: String?

    enum CodingKeys: String, CodingKey {
      case type, colors, language
      case isTerminal = "is_terminal"
    }
  }

  struct Paths: Encodable {
    var config: String
    var data: String
    var state: String
    var cache: String
    var log: String
    var session: String
  }

  struct Server: Encodable {
    var name: String
    var isReached: Bool
    var milliseconds: Int?
    var error: String?

    enum CodingKeys: String, CodingKey {
      case name, milliseconds, error
      case isReached = "reached"
    }
  }

  struct Policy: Encodable {
    var level: String
    var cause: String?
    var effect: String?
    var realtime: Bool
    var signals: [SignalReport]
  }

  enum CodingKeys: String, CodingKey {
    case version, profile, terminal, notifications, paths, server, policy, trace
    case isSignedIn = "signed_in"
    case configurationProblems = "configuration_problems"
  }

  var version = RallyVersion.current
  var profile: String
  var isSignedIn: Bool
  var terminal: Terminal
  var notifications: NotificationReport
  var paths: Paths
  var server: Server
  var policy: Policy
  var configurationProblems: [String]
  var trace: [SyncTraceEntry]

  @MainActor
  init(_ setup: Setup) async {
    let environment = ProcessInfo.processInfo.environment
    let services = AppServices(
      folders: setup.folders, server: setup.server, executable: Setup.executable)
    profile = setup.folders.profile
    isSignedIn = await services.authService.restoreSession() != nil
    terminal = Terminal(
      type: environment["TERM"], isTerminal: isatty(STDOUT_FILENO) == 1,
      colors: environment["NO_COLOR", default: ""].isEmpty,
      language: environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"])
    notifications = NotificationReport(
      setup.configuration.notifications.way, environment: environment, isTest: false)
    paths = Paths(
      config: setup.configurationService.file, data: setup.folders.data,
      state: setup.folders.profileState, cache: setup.folders.profileCache,
      log: "\(setup.folders.profileState)/rally.log", session: setup.folders.profileState)
    server = await Self.examine(services)
    let coordinator = RuntimePolicyCoordinator(overrides: setup.configuration.policy)
    let signals = DeviceSignals(
      roots: DeviceRoots(environment: environment), serverReach: setup.server.reach)
    coordinator.receive(signals.look())
    policy = Policy(coordinator)
    configurationProblems = setup.configurationProblems.map(\.description)
    trace = await services.syncTraceService.entries()
  }

  @MainActor
  private static func examine(_ services: AppServices) async -> Server {
    let began = ContinuousClock.now
    do {
      try await services.authService.checkServer()
      let elapsed = (ContinuousClock.now - began).components
      let milliseconds = elapsed.seconds * 1000 + elapsed.attoseconds / 1_000_000_000_000_000
      return Server(
        name: services.server.name, isReached: true, milliseconds: Int(milliseconds), error: nil)
    } catch {
      return Server(
        name: services.server.name, isReached: false, milliseconds: nil, error: error.sentence)
    }
  }

  /// The same for a person: a name and a finding a row.
  var rows: [[String]] {
    var rows = [
      ["version", version], ["profile", profile],
      ["session", isSignedIn ? "signed in" : "nobody is signed in"],
      [
        "terminal",
        "\(terminal.type ?? "TERM is not set"), colours \(terminal.colors ? "on" : "off")",
      ],
      ["notifications", notifications.sentence],
      ["language", terminal.language ?? "not set"],
      ["configuration", paths.config], ["data", paths.data], ["state", paths.state],
      ["cache", paths.cache], ["log", paths.log],
      [
        "secrets",
        "session tokens in files of the state folder, 0600, readable by you alone",
      ],
      [
        "server",
        server.isReached
          ? "\(server.name), answers in \(server.milliseconds ?? 0) ms"
          : "\(server.name): \(server.error ?? "")",
      ],
      [
        "policy",
        [policy.level, policy.cause, policy.effect].compactMap(\.self).joined(separator: " · "),
      ],
    ]
    rows += policy.signals.map {
      [
        "  \($0.signal.name)",
        [$0.value, $0.source, $0.detail].compactMap(\.self).joined(separator: " · "),
      ]
    }
    rows += configurationProblems.map { ["problem", $0] }
    rows += trace.suffix(5).map { ["sync", "\($0.at.zulu) \($0.directive) — \($0.cause)"] }
    return rows
  }
}

extension DoctorReport.Policy {
  @MainActor
  init(_ coordinator: RuntimePolicyCoordinator) {
    let sentence = coordinator.policySentence
    self.init(
      level: coordinator.policyLevel.rawValue, cause: sentence.cause, effect: sentence.effect,
      realtime: coordinator.shouldEnableSocialRealtime,
      signals: coordinator.signalReport())
  }
}
