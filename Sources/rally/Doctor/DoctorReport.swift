import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem
import RallyWire
import TerminalNcurses

/// The output of `rally doctor --json`. Keys may be added; none changes its name or meaning.
struct DoctorReport: Encodable {
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
    var version: String?
    var error: String?

    enum CodingKeys: String, CodingKey {
      case name, milliseconds, version, error
      case isReached = "reached"
    }
  }

  struct Clock: Encodable {
    /// How far the server's clock is ahead of this one; nil if it sends no time.
    var skewSeconds: Int?

    enum CodingKeys: String, CodingKey { case skewSeconds = "skew_seconds" }

    /// Seconds. Beyond it the server refuses positions as from the future, and ages are wrong.
    static let tolerance = 120
  }

  struct Bus: Encodable {
    /// nil without a session bus, and over SSH.
    var address: String?
    /// The notification server on it.
    var server: String?
    var problem: String?
  }

  struct Policy: Encodable {
    var level: String
    var cause: String?
    var effect: String?
    var realtime: Bool
    var signals: [SignalReport]
  }

  enum CodingKeys: String, CodingKey {
    case version, profile, terminal, notifications, paths, files, secrets, server, clock, bus
    case policy, sources, location, streets, problems, trace
    case isSignedIn = "signed_in"
    case serverProgram = "server_program"
    case configurationProblems = "configuration_problems"
  }

  var version = RallyVersion.current
  var profile: String
  var isSignedIn: Bool
  var terminal: DoctorTerminal
  var notifications: NotificationReport
  var paths: Paths
  var files: [DoctorFile]
  var secrets: [DoctorFile]
  var server: Server
  /// The path of `rally-server`; nil if it is missing.
  var serverProgram = ServerExecutable.path
  var clock: Clock
  var bus: Bus
  var policy: Policy
  var sources: SignalSources
  /// What measures where this device is, without positions.
  var location: [LocationSourceRow]
  /// The archives of streets.
  var streets: [StreetRow]
  var configurationProblems: [String]
  var problems: [DoctorProblem] = []
  var trace: [SyncTraceEntry]
  /// Why the trace is not known.
  private var traceProblem: FileError?
  private let needsServerProgram: Bool

  /// - Parameter asksTerminal: Whether the terminal is queried for its capabilities.
  @MainActor
  init(_ setup: Setup, _ global: GlobalOptions, asksTerminal: Bool) async {
    let environment = ProcessInfo.processInfo.environment
    let services = AppServices(
      folders: setup.folders, server: setup.server, executable: ServerExecutable.expectedPath,
      locationSources: setup.locationSources)
    profile = setup.folders.profile
    needsServerProgram = setup.server == .embedded
    isSignedIn = await services.authService.restoreSession() != nil
    terminal = DoctorTerminal(
      setup, global, environment: environment,
      examination: asksTerminal ? TerminalQueryResult.query() : nil)
    notifications = NotificationReport(
      setup.configuration.notifications.way, environment: environment, isTest: false)
    paths = Paths(
      config: setup.configurationService.file, data: setup.folders.data,
      state: setup.folders.profileState, cache: setup.folders.profileCache,
      log: "\(setup.folders.profileState)/rally.log", session: setup.folders.profileState)
    (server, clock) = await Self.examine(services)
    bus = await Self.examineBus(environment)
    // After the server, whose start creates folders.
    files = DoctorFile.folders(setup)
    secrets = DoctorFile.secrets(setup)
    let coordinator = RuntimePolicyCoordinator(overrides: setup.configuration.policy)
    let roots = DeviceRoots(environment: environment)
    let readings = await DeviceSignals(roots: roots, serverReach: setup.server.reach).examine()
    coordinator.receive(readings)
    policy = Policy(coordinator)
    sources = SignalSources(
      roots: roots, environment: environment, busProblem: readings.busProblem)
    await services.currentLocationProvider.restore()
    location = LocationSourceRow.rows(
      await services.currentLocationProvider.survey(within: .seconds(2)), at: .now,
      hasPositions: false)
    let streetFolder = StreetFolder(path: setup.folders.streets)
    streets = streetFolder.entries().map { StreetRow($0, in: streetFolder) }
    configurationProblems = setup.configurationProblems.map(\.description)
    do {
      trace = try await services.syncTraceService.entries()
    } catch {
      trace = []
      traceProblem = error
    }
    problems = findings
  }

  @MainActor
  private static func examine(_ services: AppServices) async -> (Server, Clock) {
    let name = services.server.name
    do {
      let found = try await services.serverHealthService.examineServer()
      return (
        Server(
          name: name, isReached: true, milliseconds: found.milliseconds, version: found.version),
        Clock(skewSeconds: found.skew)
      )
    } catch {
      return (Server(name: name, isReached: false, error: error.sentence), Clock())
    }
  }

  private static func examineBus(_ environment: [String: String]) async -> Bus {
    guard let notifier = DesktopNotifier(environment: environment) else { return Bus() }
    let found = await notifier.examine()
    return Bus(address: notifier.address, server: found.server, problem: found.problem)
  }

  private var findings: [DoctorProblem] {
    var found = terminal.problems + (files + secrets).flatMap(\.problems)
    if serverProgram == nil {
      let missing = ServerExecutable.missing
      found.append(
        DoctorProblem(
          "server program", missing.message, missing.advice ?? "", isGrave: needsServerProgram))
    }
    if let error = server.error {
      found.append(
        DoctorProblem(
          "server", error,
          "Is its address right, and the network there? rally login --server URL chooses another."))
    }
    if let traceProblem {
      found.append(
        DoctorProblem(
          "sync", traceProblem.sentence, "Rally writes it anew; remove it if it stays damaged."))
    }
    if let skew = clock.skewSeconds, abs(skew) > Clock.tolerance {
      found.append(
        DoctorProblem(
          "clock",
          "The server's clock is \(abs(skew)) s \(skew > 0 ? "ahead of" : "behind") this one.",
          "Let the clock be set by the network: timedatectl set-ntp true."))
    }
    if let problem = bus.problem {
      found.append(
        DoctorProblem(
          "desktop", "Nothing shows notifications on the session bus: \(problem).",
          "Start a notification service, or set way below [notifications].", isGrave: false))
    }
    found += streets.compactMap { row in
      guard let name = row.name, let problem = row.problem else { return nil }
      return DoctorProblem(
        "streets", "The streets \(name) cannot be read: \(problem.sentence)",
        "Remove them with rally map remove \(name), and add them again.", isGrave: false)
    }
    found += configurationProblems.map {
      DoctorProblem("configuration", $0, "rally config edit opens the file.", isGrave: false)
    }
    return found
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

/// A finding of `rally doctor`, and what to do about it.
struct DoctorProblem: Encodable, Hashable {
  var about: String
  var problem: String
  var advice: String
  /// Whether it impairs Rally; otherwise it is a hint.
  var isGrave: Bool

  enum CodingKeys: String, CodingKey {
    case about, problem, advice
    case isGrave = "grave"
  }

  init(_ about: String, _ problem: String, _ advice: String, isGrave: Bool = true) {
    self.about = about
    self.problem = problem
    self.advice = advice
    self.isGrave = isGrave
  }
}
