import Foundation
import RallyClient
import RallyDemo
import RallyDomain
import RallyServer
import RallyStreets
import RallySystem
import RallyTUI
import RallyTestSupport
import RallyWire
import Synchronization
import TerminalKit
import Testing

/// A server with the demo's users a minute into the demo, and the visitor's screens.
@MainActor
final class Studio {
  struct Picture {
    var name: String
    var svg: String
  }

  /// How far the demo has played.
  private static let scene = Duration.seconds(62)
  private static let tourSize = Size(width: 100, height: 30)

  private let server: TestServer
  private let director: DemoDirector
  private let folder: TemporaryFolder
  private let session: RallySession
  private let groundStore: GroundStore
  private var screens: [TestScreen] = []
  private var taken: [Picture] = []
  /// What the moving picture shows one after the other.
  private var tour: [ScreenSVG] = []

  init(at moment: WireTime) async throws {
    // The server expires sessions by the system clock, which is not stopped.
    server = try await TestServer.start { $0.accessTokenLifetime = .seconds(50 * 365 * 86_400) }
    folder = try TemporaryFolder()
    let url = try ServerURL(server.url)
    let hand = Hand()
    director = DemoDirector(
      server: ServerAddress(endpoint: .url(url), key: server.key),
      clock: DemoClock(elapsed: { hand.elapsed }, wall: { .now }))
    let visitor = try await director.prepare()
    await director.connectAll()
    while await director.next <= Self.scene {
      let next = await director.next
      hand.elapsed = next
      WallClock.stop(at: moment.advanced(by: next))
      await director.play(until: next)
    }
    WallClock.stop(at: moment.advanced(by: Self.scene))
    hand.elapsed = Self.scene

    let folders = try RallyFolders(data: folder.path, environment: [:])
    let choice = ServerChoice.remote(url, key: server.key)
    session = RallySession(
      server: choice, folders: folders, isNewcomer: false,
      placeFinder: .world(streetsIn: folders.streets),
      runtimePolicyCoordinator: RuntimePolicyCoordinator()
    ) { AppServices(folders: folders, server: $0, locationSources: [.receiver]) }
    groundStore = GroundStore(tiles: StreetTiles(folder: folders.streets))
    let services = session.services
    try await services.authService.signIn(email: visitor.email, password: visitor.password)
    if let place = Coordinate(
      latitude: Cast.visitor.place.0, longitude: Cast.visitor.place.1)
    {
      try await services.currentLocationProvider.setManual(
        place, accuracyMetres: Cast.visitor.accuracyMetres, placeName: Cast.visitor.placeName)
    }
    await session.restore()
  }

  func close() async {
    for screen in screens { screen.application.finish() }
    await session.close()
    await director.close()
    try? await server.stop()
    folder.remove()
  }

  func pictures() async throws -> [Picture] {
    let screen = TestScreen(
      size: Self.tourSize, table: .rally, paintsAreas: true,
      root: RallyView(session: session, changes: still, groundStore: groundStore))
    screens.append(screen)
    try await screen.show("● live", "@dario", "shared with")
    try await takeMap(of: screen)
    try await takeStreets(of: screen)
    let tiles = StreetTiles(folder: session.services.folders.streets)
    taken.append(Picture(name: "colours", svg: await ColourSheet(moment: .now, tiles: tiles).svg))
    try await takePeople(of: screen)
    taken.append(
      Picture(
        name: "tour",
        svg: ScreenSVG.moving(
          tour, seconds: 4,
          title: "The map, where positions come from, streets, missions, friends, who sees what")))
    try await takeWide(of: screen)
    taken.append(
      Picture(
        name: "phone", svg: try await phoneSetup("What a phone is told: its link as a QR code")))
    return taken
  }

  /// Takes what a screen shows; in the size of the tour it is a part of that.
  private func take(_ name: String, _ title: String, of screen: TestScreen) async throws {
    try await settle(screen)
    let picture = ScreenSVG(screen.terminal.screen, title: title)
    taken.append(Picture(name: name, svg: picture.text))
    if screen.terminal.size == Self.tourSize { tour.append(picture) }
  }

  private func takeMap(of screen: TestScreen) async throws {
    try await screen.show("On the map", "zoe", "okoro", "You: Monaco")
    // Labels keep their positions between frames, and the number of frames until now varies. Moving
    // to an empty sea and back, each with a frame, resets them.
    screen.press("/")
    screen.type("-48,-125")
    screen.press("Enter + + + +")
    try await settle(screen)
    screen.press("0")
    try await screen.show("5000 km")
    try await take(
      "map", "The Map tab: the world in braille with friends on it, the list beside it", of: screen)

    screen.press("w")
    try await screen.show("Where your position comes from", "gpsd", "within 9 m")
    try await take(
      "sources", "Where one's position comes from, and why one source was taken", of: screen)
    screen.press("Esc")
  }

  private func takeStreets(of screen: TestScreen) async throws {
    try DemoStreets.write(into: session.services.folders.streets)
    screen.press("/")
    screen.type("\(Cast.view.latitude),\(Cast.view.longitude)")
    screen.press("Enter")
    // Names keep their places between frames; how many there are until the tiles come varies.
    try await settle(screen)
    screen.press(":")
    screen.type("zoom \(Cast.view.zoom)")
    screen.press("Enter")
    try await screen.show("La Condamine", "© OpenStreetMap", "Rue Gri", "Bouleva", "Avenue ")
    try await take(
      "near", "The Map tab near by: the streets of Monaco, its harbour, and friends in them",
      of: screen)
  }

  private func takePeople(of screen: TestScreen) async throws {
    screen.press("2")
    try await screen.show("Lanterns of Monaco", "Red one found", "1/4")
    try await take(
      "missions", "The Missions tab: what one is in, and a mission with what happens in it",
      of: screen)

    screen.press("3 g g")
    try await screen.show("Requests for you (1)", "Online (9)")
    screen.press("j j j")
    try await take(
      "friends", "The Friends tab: a request on top, friends below, one of them in detail",
      of: screen)

    screen.press("s")
    try await screen.show("Who sees where you are")
    try await take(
      "sharing", "Who sees where one is: how exactly, and for how long", of: screen)
    screen.press("Esc")
  }

  private func takeWide(of screen: TestScreen) async throws {
    screen.resize(to: Size(width: 200, height: 60))
    try await settle(screen)
    screen.press("2")
    try await screen.show("Lanterns of Monaco", "Red one found", "© OpenStreetMap")
    try await take(
      "missions-wide",
      "The Missions tab on 200 columns: the list, the radar of a mission, and the mission",
      of: screen)

    screen.resize(to: Size(width: 120, height: 40))
    try await settle(screen)
    screen.press("F")
    try await screen.show("2 on the way", "→ noor", "→ tomas")
    try await take(
      "coming", "The Map tab while two are on the way to a mission, with distance and time",
      of: screen)
  }

  /// Waits until everything is drawn that was asked for: an idle interface may still wait for tiles
  /// and streets, which are read beside it.
  ///
  /// - Throws: `MissingScene` after 20 seconds.
  private func settle(_ screen: TestScreen) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    repeat {
      await screen.waitUntilIdle()
      guard ContinuousClock.now < deadline else {
        throw MissingScene(description: "tiles are still read")
      }
    } while groundStore.isReading
  }

  /// Without motion: whether a pin just blinks depends on how fast the machine is.
  private var still: ConfigurationChanges {
    var loaded = ConfigurationLoadResult()
    loaded.configuration.hasMotion = false
    return ConfigurationChanges(loaded, problems: [])
  }

  /// The sheet of a phone that was just added, with a secret that opens nothing.
  private func phoneSetup(_ title: String) async throws -> String {
    guard let secret = AccessSecret(randomBytes: Array(0..<24)) else {
      throw MissingScene(description: "no secret")
    }
    let setup = PhoneSetup(
      app: .owntracks, server: try ServerURL("https://rally.example.org"), secret: secret,
      username: "carla")
    let screen = TestScreen(
      size: Size(width: 90, height: 46), table: .rally, root: PhoneSetupCard(setup: setup))
    screens.append(screen)
    try await screen.show("OwnTracks", "shown only this once")
    return ScreenSVG(screen.terminal.screen, title: title).text
  }
}

extension LocationSource {
  /// A receiver that stands where the visitor does.
  fileprivate static let receiver = LocationSource(name: "gpsd") { _ in
    AsyncStream { events in
      let (latitude, longitude) = Cast.visitor.place
      guard let place = Coordinate(latitude: latitude, longitude: longitude) else { return }
      events.yield(.state(.running))
      events.yield(
        .fix(
          LocationFix(
            coordinate: place, accuracyMetres: 9, speed: 0, recordedAt: .now,
            source: "gpsd")))
    }
  }
}

/// The elapsed time of a clock that only this program advances.
private final class Hand: Sendable {
  private let time = Mutex(Duration.zero)

  var elapsed: Duration {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

/// A screen did not show the expected text in time.
struct MissingScene: Error, CustomStringConvertible {
  var description: String
}

extension TestScreen {
  /// Waits until all of these texts are on the screen, for at most 20 seconds.
  ///
  /// - Throws: `MissingScene` with the screen.
  func show(_ texts: String...) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while !texts.allSatisfy(contains) || application.isBusy {
      guard ContinuousClock.now < deadline else {
        throw MissingScene(description: "no \(texts) in\n\(text)")
      }
      try await DispatchSleep.for(.milliseconds(5))
    }
  }
}
