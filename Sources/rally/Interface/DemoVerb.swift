import ArgumentParser
import FoundationEssentials
import RallyClient
import RallyCommand
import RallyDemo
import RallyDomain
import RallySystem
import RallyTUI
import RallyText
import RallyWire

/// Runs Rally with invented people, for a look around.
struct DemoVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Look around without an account.",
    discussion: """
      An invented cast moves, asks, answers and plays on a server of its own, which is thrown away \
      when you leave. Your own accounts and files are not touched.
      """)

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await StartInterface(global: global).runDemo()
  }
}

extension DemoVisit {
  /// Starts a demo server and signs the visitor in; none of it touches the user's own folders.
  ///
  /// - Parameter setup: The user's configuration, which applies to the demo as well.
  /// - Throws: `DemoProblem` or `CancellationError`; the demo's files are removed then.
  @MainActor
  static func start(_ setup: Setup) async throws -> DemoVisit {
    guard let server = ServerExecutable.path else {
      throw DemoProblem(sentence: ServerExecutable.missing.message)
    }
    let world: DemoWorld
    do {
      world = try await DemoWorld.start(server, runtime: setup.folders.runtime)
    } catch let error as DemoWorldError {
      throw DemoProblem(sentence: error.sentence)
    }
    let logPath = RallyLog.path
    do {
      let folders = try RallyFolders(data: world.folder.path)
      try RallyLog.open(folder: folders.profileState)
      let session = try await session(in: world, folders: folders, setup: setup)
      return DemoVisit(session: session) {
        session.runtimePolicyCoordinator.stop()
        await session.close()
        if let logPath {
          try? RallyLog.open(folder: logPath.parentPath)
        }
        await world.end()
      }
    } catch {
      if let logPath { try? RallyLog.open(folder: logPath.parentPath) }
      await world.end()
      throw DemoProblem(sentence: "The demo could not be entered (\(error)).")
    }
  }

  @MainActor
  private static func session(
    in world: DemoWorld, folders: RallyFolders, setup: Setup
  ) async throws -> RallySession {
    let announcement = world.announcement
    let server = ServerChoice.remote(try ServerURL(announcement.url), key: announcement.key)
    let session = RallySession(
      server: server, folders: folders, isNewcomer: false,
      placeFinder: .world(streetsIn: folders.streets), isDemo: true,
      runtimePolicyCoordinator: RuntimePolicyCoordinator(overrides: setup.configuration.policy)
    ) { server in
      let services = AppServices(folders: folders, server: server)
      services.installAsShared()
      return services
    }
    let services = session.services
    try await services.authService.signIn(
      email: announcement.visitor.email, password: announcement.visitor.password)
    let (latitude, longitude) = Cast.visitor.place
    if let place = Coordinate(latitude: latitude, longitude: longitude) {
      try await services.currentLocationProvider.setManual(
        place, accuracyMetres: Cast.visitor.accuracyMetres, placeName: Cast.visitor.placeName)
    }
    await session.restore()
    if let centre = Coordinate(latitude: Cast.view.latitude, longitude: Cast.view.longitude) {
      session.look(at: centre, zoom: Cast.view.zoom)
    }
    session.runtimePolicyCoordinator.start(
      DeviceSignals(
        roots: DeviceRoots(environment: ProcessInfo.processInfo.environment),
        serverReach: server.reach))
    return session
  }
}
