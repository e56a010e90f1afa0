import FoundationEssentials
import Glibc
import RallyClient
import RallyCommand
import RallyDemo
import RallyDomain
import RallyEnvironment
import RallyMap
import RallyStreets
import RallySystem
import RallyTUI
import RallyText
import RallyWords
import TerminalKit
import TerminalNcurses

/// Composes the interface and runs it in the terminal.
struct StartInterface {
  let global: GlobalOptions
  /// An invitation link to open first.
  var link: String?

  @MainActor
  func run() async throws {
    try requireTerminal()
    let setup = try await Setup(global)
    let streets = StreetTiles(folder: setup.folders.streets)
    // A guest's client acts for nobody else: it keeps no status, runs no hooks and takes no links.
    let actingClient = setup.guest == nil ? ActingClient(folders: setup.folders) : nil
    let session = RallySession(
      server: setup.server, folders: setup.folders, isNewcomer: !setup.hasSignedInBefore,
      invitation: link, capabilities: setup.capabilities,
      invitationLookup: InvitationLookup(allowsPlain: global.insecure),
      placeFinder: .world(and: streets),
      actingClient: actingClient,
      hookRunner: setup.capabilities.contains(.hooks)
        ? HookRunner(environment: ProcessInfo.processInfo.environment) : nil,
      runtimePolicyCoordinator: RuntimePolicyCoordinator(overrides: setup.configuration.policy)
    ) { server in
      let services = setup.services(on: server, sleepMonitor: sleepMonitor(setup))
      services.installAsShared()
      return services
    }
    let guest = setup.guest
    if let own = guest?.session { try await session.services.authService.take(own) }
    session.onSignIn = { await guest?.addKey(with: $0) }
    await session.restore()
    let screenMemory = guest.map { ScreenMemory(folders: $0.folders) }
    if let screen = await screenMemory?.take() { session.services.navigationService.show(screen) }
    let terminal = try await open(setup, log: setup.folders.profileState)
    let demoLauncher = setup.capabilities.contains(.processes) ? demoLauncher(session, setup) : nil
    let end = await show(
      on: terminal, setup,
      save: {
        await screenMemory?.save(session.services.navigationService.screen)
        await session.saveState()
      }
    ) {
      $0.editorService = EditorService(
        folder: EditorService.folder(in: setup.folders), capabilities: setup.capabilities
      ) { @MainActor in await session.services.authService.currentUserID }
    } root: { changes in
      ProgramView(
        session: session, demoLauncher: demoLauncher, changes: changes, streets: streets)
    } shown: {
      if let actingClient { Task { await act(as: actingClient, session) } }
      guard setup.capabilities.contains(.deviceSignals) else { return }
      session.runtimePolicyCoordinator.start(
        DeviceSignals(
          roots: DeviceRoots(environment: ProcessInfo.processInfo.environment),
          serverReach: setup.server.reach))
    }
    await demoLauncher?.close()
    session.runtimePolicyCoordinator.stop()
    await session.close()
    // A guest's session is in memory only, so that nobody could use it again.
    await guest?.leave(session.services.authService)
    if let handover = session.handover { goOn(with: handover) }
    end.endProcess()
  }

  /// Replaces this process by one of another profile, in the same terminal.
  private func goOn(with handover: ProfileHandover) {
    var global = global
    (global.profile, global.server, global.key) = (handover.profile, nil, nil)
    unsetenv("RALLY_SERVER")
    unsetenv("RALLY_KEY")
    var words: [UnsafeMutablePointer<CChar>?] =
      ([Setup.executable] + global.interfaceArguments + [handover.link]).map { strdup($0) }
    words.append(nil)
    execv(Setup.executable, words)
    let reason = String(cString: strerror(errno))
    Output(options: global).message("The other profile was not opened: \(reason).")
  }

  /// Waits until this client acts for its profile, and opens the links that come from then on.
  @MainActor
  private func act(as client: ActingClient, _ session: RallySession) async {
    await client.waitForTurn()
    guard client.isActing else { return }
    let links: AsyncStream<String>
    do {
      links = try ClientSocket(folders: session.services.folders).links()
    } catch {
      session.services.storageNotices.post(
        "Links that you open elsewhere do not come to this window. \(error.sentence)")
      return
    }
    for await link in links {
      // Another process sent it: it is read again.
      if let link = try? RallyLink(link) { session.open(link.text) }
    }
  }

  @MainActor
  private func demoLauncher(_ session: RallySession, _ setup: Setup) -> DemoLauncher {
    DemoLauncher {
      try await DemoVisit.start(setup)
    } left: {
      session.services.installAsShared()
    }
  }

  @MainActor
  private func sleepMonitor(_ setup: Setup) -> SleepMonitor? {
    guard setup.capabilities.contains(.deviceSignals) else { return nil }
    return SleepMonitor(environment: ProcessInfo.processInfo.environment)
  }

  /// Runs only the demo; leaving it ends the program.
  @MainActor
  func runDemo() async throws {
    try requireTerminal()
    let setup = try await Setup(global)
    Output(options: global).message("Starting the demo.")
    let visit: DemoVisit
    do {
      visit = try await DemoVisit.start(setup)
    } catch let problem as DemoProblem {
      throw VerbFailure(.failed, problem.sentence)
    }
    let end: TerminalApplication.End
    do {
      let terminal = try await open(setup, log: nil)
      end = await show(
        on: terminal, setup, save: {}, root: { ProgramView(visit: visit, changes: $0) })
    } catch {
      await visit.end()
      throw error
    }
    await visit.end()
    end.endProcess()
  }

  @MainActor
  private func requireTerminal() throws {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      throw VerbFailure(
        .usage, "There is no terminal to draw on.",
        advice: link == nil
          ? "Run `rally friends list`, or `rally --help` for what works in a pipe."
          : "Run `rally invite show LINK`.")
    }
    do throws(TerminalError) {
      try NcursesTerminal.require(type: ProcessInfo.processInfo.environment["TERM"] ?? "")
    } catch {
      throw VerbFailure(error)
    }
  }

  /// Shows a tree of views until the user quits.
  ///
  /// - Parameters:
  ///   - save: Saves what must survive a signal.
  ///   - supply: Adds to the environment of all views.
  ///   - shown: Called after the first frame.
  @MainActor
  private func show(
    on terminal: NcursesTerminal, _ setup: Setup, save: @escaping @MainActor () async -> Void,
    supply: (inout EnvironmentValues) -> Void = { _ in },
    root: (ConfigurationChanges) -> ProgramView, shown: @MainActor () -> Void = {}
  ) async -> TerminalApplication.End {
    let watch =
      setup.capabilities.contains(.configuration)
      ? ConfigurationWatch(service: setup.configurationService) : nil
    let changes = ConfigurationChanges(
      setup.reading, problems: setup.configurationProblems, watch: watch,
      environment: ProcessInfo.processInfo.environment)
    var environment = EnvironmentValues()
    environment.capabilities = setup.capabilities
    environment.sshHost = Self.sshHost
    environment.editorService = EditorService(
      folder: "\(setup.folders.runtime)/editing", capabilities: setup.capabilities)
    environment.allowsPlainHTTP = global.insecure
    if setup.capabilities.contains(.deviceSignals) {
      environment.desktopNotifier = DesktopNotifier(
        environment: ProcessInfo.processInfo.environment)
    }
    supply(&environment)
    let application = TerminalApplication(
      terminal: terminal, table: setup.keyMap.table,
      isPlain: global.isPlain || setup.configuration.isPlain, environment: environment,
      save: save, root: root(changes))
    let end = await application.run {
      shown()
      guard setup.capabilities.contains(.processes) else { return }
      Task { DemoFolder.removeAbandoned(below: setup.folders.runtime) }
    }
    watch?.stop()
    return end
  }

  private static var sshHost: String? {
    guard !ProcessInfo.processInfo.environment["SSH_CONNECTION", default: ""].isEmpty else {
      return nil
    }
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "another machine" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      .cleanedForDisplay
  }

  /// - Parameter log: The folder of the log; nil if it is already open.
  @MainActor
  private func open(_ setup: Setup, log: String?) async throws -> NcursesTerminal {
    let choice =
      global.color == .auto ? setup.configuration.color.rawValue : global.color.rawValue
    let environment = ProcessInfo.processInfo.environment
    // Only the interface writes a log file; verbs print to standard error.
    if let log { try RallyLog.open(folder: log) }
    let memory = BackgroundMemory(folders: setup.folders, environment: environment)
    let isBackgroundLight = await memory.isLight()
    do throws(TerminalError) {
      let terminal = try NcursesTerminal(
        colorMode: ColorMode(choice: choice, environment: environment),
        theme: setup.configuration.theme.choice, isBackgroundLight: isBackgroundLight)
      terminal.onBackground = { isLight in Task { await memory.save(isLight: isLight) } }
      return terminal
    } catch {
      throw VerbFailure(error)
    }
  }
}

extension VerbFailure {
  /// A terminal that cannot show the interface.
  fileprivate init(_ error: TerminalError) {
    self.init(
      .usage, error.description,
      advice: "Set TERM to what your terminal is, such as xterm-256color, or use the verbs, which"
        + " need no screen: `rally friends list --plain`.")
  }
}

extension TerminalError: ReportableError {
  public var sentence: String { description }
}
