import Foundation
import RallyDomain
import RallyMap
import RallyTUI

/// Composes the interface and runs it in the terminal.
struct StartInterface {
  let global: GlobalOptions
  /// An invitation to begin with.
  var link: String?

  @MainActor
  func run() async throws {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      throw VerbFailure(
        .usage, "There is no terminal to draw on.",
        advice: link == nil
          ? "Run `rally friends list`, or `rally --help` for what works in a pipe."
          : "Run `rally invite show LINK`.")
    }
    let setup = try await Setup(global)
    let session = RallySession(
      server: setup.server, folders: setup.folders, isNewcomer: !setup.hasSignedInBefore,
      invitation: link,
      runtimePolicyCoordinator: RuntimePolicyCoordinator(overrides: setup.configuration.policy)
    ) { server in
      let services = AppServices(
        folders: setup.folders, server: server, executable: Setup.executable)
      services.installAsShared()
      return services
    }
    await session.restore()
    let terminal = try open(setup)
    session.runtimePolicyCoordinator.start(
      DeviceSignals(
        roots: DeviceRoots(environment: ProcessInfo.processInfo.environment),
        serverReach: setup.server.reach))
    let watch = ConfigurationWatch(service: setup.configurationService)
    let changes = ConfigurationChanges(
      setup.reading, problems: setup.configurationProblems, watch: watch,
      environment: ProcessInfo.processInfo.environment)
    let application = TerminalApplication(
      terminal: terminal, table: setup.keyMap.table,
      isPlain: global.isPlain || setup.configuration.isPlain,
      root: RallyView(session: session, changes: changes))
    let release = Task { await StartUpPages.releaseOnce() }
    let end = await application.run()
    release.cancel()
    watch.stop()
    session.runtimePolicyCoordinator.stop()
    await session.close()
    if end == .hangup { exit(128 + SIGHUP) }
  }

  @MainActor
  private func open(_ setup: Setup) throws -> NcursesTerminal {
    let choice =
      global.color == .auto ? setup.configuration.color.rawValue : global.color.rawValue
    let environment = ProcessInfo.processInfo.environment
    do {
      // The log is opened with the interface: a verb's talk goes to standard error instead.
      try RallyLog.open(folder: setup.folders.profileState)
    } catch {
      throw VerbFailure(
        .failed, "The folder \(setup.folders.profileState) cannot be used (\(error)).")
    }
    do throws(TerminalError) {
      return try NcursesTerminal(colorMode: ColorMode(choice: choice, environment: environment))
    } catch {
      throw VerbFailure(.failed, error.sentence, advice: "Try TERM=xterm-256color.")
    }
  }
}
