import Glibc
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// The source against a real GeoClue, and against one that misbehaves.
@MainActor
@Suite struct GeoClueConnectionTests {
  private func makeProvider(_ address: String) -> CurrentLocationProvider {
    CurrentLocationProvider(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService(),
      sources: [.geoClue(at: address)])
  }

  private func state(_ provider: CurrentLocationProvider) -> LocationSourceState? {
    provider.choice.candidates.first { $0.id == "geoclue" }?.state
  }

  private func verdict(_ provider: CurrentLocationProvider) -> LocationVerdict? {
    provider.choice.candidates.first { $0.id == "geoclue" }?.verdict
  }

  // MARK: - A Real GeoClue

  @Test func `a real GeoClue is started, waits for its agent, measures, and obeys the desktop`()
    async throws
  {
    let server = try await GeoClueServer()
    let provider = makeProvider(server.bus.address)
    #expect(state(provider) == .notAsked)
    provider.startTracking()
    defer { provider.stopTracking() }
    // No agent: nobody could refuse, so GeoClue answers nobody.
    #expect(await eventually { state(provider)?.name == "denied" })
    server.startAgent()
    #expect(await eventually { provider.choice.taken?.verdict == .measured })
    let start = Samples.coordinate(51.05, 3.72)
    #expect(try #require(provider.coordinate).distance(to: start) < 5)
    #expect(provider.source == "geoclue")
    #expect(provider.accuracyMetres == 3)
    #expect(WireTime.now.since(try #require(provider.recordedAt)) < .seconds(90))
    server.move(to: 51.06, 3.73)
    let end = Samples.coordinate(51.06, 3.73)
    #expect(await eventually { provider.coordinate.map { $0.distance(to: end) < 5 } ?? false })
    server.allow(false)
    #expect(await eventually { state(provider)?.name == "denied" })
    #expect(provider.choice.taken?.verdict == .lastKnown(from: "geoclue"))
    server.allow(true)
    #expect(await eventually { provider.choice.taken?.verdict == .measured })
  }

  // MARK: - One That Misbehaves

  @Test func `it is told who asks for what, and let go of where nobody needs it`() async throws {
    let mock = try await MockGeoClue()
    let service = try await mock.start()
    let provider = makeProvider(mock.bus.address)
    provider.startTracking()
    #expect(await eventually { state(provider) == .searching("no position yet") })
    #expect(try await mock.property("DesktopId") == "'rally'")
    #expect(try await mock.property("RequestedAccuracyLevel") == "'8'")
    #expect(try await mock.property("DistanceThreshold") == "'0'")
    #expect(try await mock.property("TimeThreshold") == "'0'")
    try await mock.locate(0, at: Samples.lisbon, age: 5)
    #expect(await eventually { provider.coordinate == Samples.lisbon })
    #expect(provider.accuracyMetres == 30)
    // The time is a structure of two numbers.
    let age = WireTime.now.since(try #require(provider.recordedAt))
    #expect(age >= .seconds(5) && age < .seconds(120))
    try await mock.locate(1, at: Samples.porto)
    #expect(await eventually { provider.coordinate == Samples.porto })
    provider.stopTracking()
    #expect(
      await eventually {
        let client = try? await mock.calls(of: MockGeoClue.client)
        let manager = try? await mock.calls(of: GeoClueCall.manager.path)
        return client == "['Start', 'Stop']" && manager?.contains("DeleteClient") == true
      })
    _ = service
  }

  @Test func `a refusal is told with GeoClue's reason`() async throws {
    let mock = try await MockGeoClue()
    let service = try await mock.start(
      start: "raise dbus.exceptions.DBusException(\"Geolocation disabled for UID 7\", "
        + "name=\"org.freedesktop.DBus.Error.AccessDenied\")")
    let provider = makeProvider(mock.bus.address)
    provider.startTracking()
    defer { provider.stopTracking() }
    #expect(await eventually { state(provider)?.name == "denied" })
    #expect(state(provider)?.detail?.contains("Geolocation disabled for UID 7") == true)
    _ = service
  }

  @Test func `a system whose location is off says so, and measures once it is on`() async throws {
    let mock = try await MockGeoClue()
    let service = try await mock.start(level: 0)
    let provider = makeProvider(mock.bus.address)
    provider.startTracking()
    defer { provider.stopTracking() }
    #expect(await eventually { state(provider)?.name == "unavailable" })
    try await mock.set(level: 4)
    #expect(await eventually { state(provider) == .searching("no position yet") })
    try await mock.locate(0, at: Samples.lisbon)
    #expect(await eventually { provider.choice.taken?.verdict == .measured })
    try await mock.set(active: false)
    #expect(await eventually { state(provider)?.name == "denied" })
    _ = service
  }

  @Test func `a service that is killed falls back at once, and its return is noticed`() async throws
  {
    let mock = try await MockGeoClue()
    let service = try await mock.start()
    let provider = makeProvider(mock.bus.address)
    provider.startTracking()
    defer { provider.stopTracking() }
    #expect(await eventually { state(provider) == .searching("no position yet") })
    try await mock.locate(0, at: Samples.lisbon)
    #expect(await eventually { provider.choice.taken?.verdict == .measured })
    service.signal(SIGKILL)
    #expect(await eventually { state(provider)?.name == "unavailable" })
    #expect(provider.choice.taken?.verdict == .lastKnown(from: "geoclue"))
    #expect(await eventually { state(provider) == .unavailable("this machine has no GeoClue") })
    let again = try await mock.start()
    #expect(await eventually { state(provider) == .searching("no position yet") })
    try await mock.locate(1, at: Samples.porto)
    #expect(await eventually { provider.coordinate == Samples.porto })
    _ = again
  }

  @Test func `a bus that is restarted is found again`() async throws {
    let mock = try await MockGeoClue()
    let service = try await mock.start()
    let provider = makeProvider(mock.bus.address)
    provider.startTracking()
    defer { provider.stopTracking() }
    #expect(await eventually { state(provider) == .searching("no position yet") })
    mock.bus.end()
    #expect(await eventually { state(provider) == .unavailable("the system bus has ended") })
    try await mock.bus.restart()
    #expect(await eventually { state(provider) == .unavailable("this machine has no GeoClue") })
    _ = service
  }

  @Test func `without a system bus it says so`() async throws {
    let folder = try TemporaryFolder()
    let provider = makeProvider("unix:path=\(folder.file("bus"))")
    provider.startTracking()
    defer { provider.stopTracking() }
    #expect(
      await eventually {
        state(provider) == .unavailable("no system bus: no bus listens there")
      })
  }

  @Test func `garbage is no position, and one of a region does not displace what is known`()
    async throws
  {
    let mock = try await MockGeoClue()
    let service = try await mock.start()
    let provider = makeProvider(mock.bus.address)
    provider.startTracking()
    defer { provider.stopTracking() }
    #expect(await eventually { state(provider) == .searching("no position yet") })
    try await mock.locate(0, at: Samples.lisbon)
    #expect(await eventually { provider.choice.taken?.verdict == .measured })
    try await mock.locate(1, "{'Latitude': dbus.Double('nan'), 'Longitude': 'x'}")
    #expect(
      await eventually {
        state(provider) == .unavailable("GeoClue sent a position that is none")
      })
    try await mock.locate(2, at: Samples.porto, accuracy: 25_000)
    #expect(await eventually { verdict(provider) == .tooCoarse })
    #expect(provider.coordinate == Samples.lisbon)
    try await mock.locate(3, at: Samples.porto)
    #expect(await eventually { provider.coordinate == Samples.porto })
    _ = service
  }
}
