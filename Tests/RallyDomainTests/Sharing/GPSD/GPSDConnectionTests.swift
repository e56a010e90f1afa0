import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// The source against a real gpsd, and against a peer that misbehaves.
@MainActor
@Suite struct GPSDConnectionTests {
  /// 60 s of a walk to the north-east of Ghent.
  private static let walk = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "walk.nmea").path

  /// Follows gpsd at this port and hands over the provider.
  private func follow(
    _ port: Int, pace: LocationPace = .continuous,
    _ body: (CurrentLocationProvider) async throws -> Void
  ) async throws {
    let address = try #require(GPSDAddress("127.0.0.1:\(port)"))
    let provider = CurrentLocationProvider(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService(),
      sources: [.gpsd(at: address)])
    provider.setPace(pace)
    provider.startTracking()
    defer { provider.stopTracking() }
    try await body(provider)
  }

  private func state(_ provider: CurrentLocationProvider) -> LocationSourceState? {
    provider.choice.candidates.first { $0.id == "gpsd" }?.state
  }

  private static let greeting =
    #"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"# + "\n"

  private func report(_ latitude: Double) -> String {
    #"{"class":"TPV","mode":3,"lat":\#(latitude),"lon":3.72,"eph":8.5,"speed":1.4}"#
  }

  // MARK: - A Real gpsd

  @Test func `a real gpsd is followed, lost and found again`() async throws {
    let gpsd = try await GPSDServer(Self.walk)
    try await follow(gpsd.port) { provider in
      #expect(await eventually { provider.choice.taken?.verdict == .measured })
      let start = try #require(provider.fix)
      #expect(start.source == "gpsd")
      #expect(start.coordinate.distance(to: Samples.coordinate(51.053, 3.725)) < 2000)
      #expect(await eventually { provider.accuracyMetres != nil && provider.fix?.speed != nil })
      // The walk goes on.
      #expect(await eventually { provider.coordinate != start.coordinate })
      let age = WireTime.now.since(try #require(provider.recordedAt))
      #expect(age < .seconds(90), "by this machine's clock, not by that of the recording")
      try await gpsd.end()
      #expect(await eventually { state(provider)?.name == "unavailable" })
      #expect(provider.choice.taken?.verdict == .lastKnown(from: "gpsd"))
      let again = try await GPSDServer(Self.walk, port: gpsd.port)
      #expect(await eventually { provider.choice.taken?.verdict == .measured })
      try await again.end()
    }
  }

  @Test func `a real gpsd is asked once per interval while power is saved`() async throws {
    let gpsd = try await GPSDServer(Self.walk)
    try await follow(gpsd.port, pace: .every(.milliseconds(500))) { provider in
      // The fix is told after the state.
      #expect(
        await eventually { state(provider)?.name == "paused" && provider.coordinate != nil })
      let first = try #require(provider.coordinate)
      #expect(provider.choice.taken?.verdict == .measured)
      #expect(await eventually { provider.coordinate != first })
    }
    try await gpsd.end()
  }

  // MARK: - A Peer That Misbehaves

  @Test func `where nothing listens it says so`() async throws {
    var port = 0
    try await ScriptedPeer.with { port = $0.port }
    try await follow(port) { provider in
      #expect(
        await eventually {
          state(provider) == .unavailable("nothing answers at 127.0.0.1:\(port)")
        })
    }
  }

  @Test func `a connection that is lost comes back, and garbage on it does no harm`() async throws {
    try await ScriptedPeer.with(greeting: Self.greeting) { peer in
      try await follow(peer.port) { provider in
        #expect(await peer.hasReceived(GPSDSession.watch))
        peer.send(report(51))
        #expect(await eventually { provider.coordinate?.latitude == 51 })
        // when: garbage, a line beyond the limit, and half of a report
        peer.send((0..<2000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        peer.send([UInt8](repeating: 123, count: 200_000))
        peer.send("")
        peer.send(report(52))
        #expect(await eventually { provider.coordinate?.latitude == 52 })
        peer.send(report(53).utf8.dropLast(20))
        peer.hangUp()
        // then
        #expect(
          await eventually { state(provider) == .unavailable("gpsd closed the connection") })
        #expect(await peer.hasConnections(2))
        peer.send(report(54))
        #expect(await eventually { provider.coordinate?.latitude == 54 })
        #expect(provider.choice.taken?.verdict == .measured)
      }
    }
  }

  @Test func `the watch is switched off between two measurements`() async throws {
    try await ScriptedPeer.with(greeting: Self.greeting) { peer in
      try await follow(peer.port, pace: .every(.milliseconds(50))) { provider in
        #expect(await peer.hasReceived(GPSDSession.watch + "\n" + GPSDSession.poll))
        #expect(!peer.received.contains(GPSDSession.unwatch))
        peer.send(report(51))
        #expect(
          await peer.hasReceived(
            GPSDSession.unwatch + "\n" + GPSDSession.watch + "\n" + GPSDSession.poll))
        #expect(provider.coordinate?.latitude == 51)
      }
    }
  }

  @Test func `it is let go of where nobody needs it`() async throws {
    try await ScriptedPeer.with(greeting: Self.greeting) { peer in
      try await follow(peer.port) { provider in
        #expect(await peer.hasConnections(1))
        provider.stopTracking()
        #expect(state(provider) == .notAsked)
        #expect(await peer.hasNoClient())
      }
    }
  }
}
