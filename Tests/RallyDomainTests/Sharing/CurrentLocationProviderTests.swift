import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct CurrentLocationProviderTests {
  @Test func `what a person said outlives a restart, in a file of their own`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let provider = ana.makeCurrentLocationProvider()
      try await provider.setManual(Samples.lisbon, placeName: "Lisbon", at: Samples.time)
      let restarted = ana.makeCurrentLocationProvider()
      #expect(restarted.fix == nil)
      await restarted.restore()
      #expect(restarted.coordinate == Samples.lisbon)
      #expect(restarted.source == "manual")
      #expect(restarted.recordedAt == Samples.time)
      let folder = ana.folder.file("location")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      for file in files {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
      }
      try await restarted.forget(userID: ana.userID)
      #expect(restarted.fix == nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test func `a pin with a time outlives a restart, and its end is told by the clock`() async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let clock = Watched(Samples.time)
      @MainActor func make() -> CurrentLocationProvider {
        CurrentLocationProvider(
          authService: ana.authService, persistenceService: ana.statePersistence,
          now: { clock.value })
      }
      let until = Samples.time.advanced(by: .seconds(7200))
      try await make().setManual(Samples.lisbon, until: until)
      let restarted = make()
      await restarted.restore()
      #expect(restarted.choice.taken?.verdict == .pinned(until: until))
      clock.change { $0 = until }
      let late = make()
      await late.restore()
      #expect(late.choice.taken?.verdict == .lastKnown(from: "manual"))
      #expect(late.coordinate == Samples.lisbon)
    }
  }

  @Test func `a report of another client whose clock is ahead does not replace a later pin`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let clock = Watched(Samples.time)
      let provider = CurrentLocationProvider(
        authService: ana.authService, persistenceService: ana.statePersistence,
        now: { clock.value })
      let ahead = LocationFix(
        coordinate: Samples.porto, recordedAt: Samples.time.advanced(by: .seconds(100)),
        source: "phone")
      provider.receive(ahead)
      #expect(provider.coordinate == Samples.porto)
      clock.change { $0 = Samples.time.advanced(by: .seconds(10)) }
      try await provider.setManual(Samples.lisbon)
      #expect(provider.coordinate == Samples.lisbon)
      clock.change { $0 = Samples.time.advanced(by: .seconds(20)) }
      // The same report once more, as every fetch brings it.
      provider.receive(ahead)
      #expect(provider.coordinate == Samples.lisbon)
    }
  }

  @Test func `a pin of an earlier version is taken up`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let fix = LocationFix(coordinate: Samples.porto, recordedAt: Samples.time)
      try await ana.statePersistence.save(fix, withKey: "here-\(ana.userID.wireText)")
      let provider = ana.makeCurrentLocationProvider()
      await provider.restore()
      #expect(provider.fix == fix)
    }
  }

  @Test func `a pin that was left stays ended after a restart`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let (events, source) = AsyncStream.makeStream(of: LocationEvent.self)
      let provider = CurrentLocationProvider(
        authService: ana.authService, persistenceService: ana.statePersistence,
        sources: [LocationSource(name: "gpsd") { _ in events }])
      // given: the pin was set by a verb, which measures nothing
      try await ana.makeCurrentLocationProvider().setManual(
        Samples.lisbon, at: WireTime.now.advanced(by: .seconds(-60)))
      await provider.restore()
      provider.startTracking()
      source.yield(.state(.running))
      source.yield(.fix(fix(Samples.porto, at: WireTime.now.advanced(by: .seconds(-5)))))
      // then: the first measurement is where the device is, and this is kept
      #expect(
        await eventually {
          let kept = try? await ana.statePersistence.retrieve(
            ManualPin.self, withKey: "here-\(ana.userID.wireText)")
          return kept?.measured?.coordinate == Samples.porto
        })
      #expect(provider.choice.taken?.verdict == .pinned(until: nil))
      // when
      source.yield(.fix(fix(Samples.coordinate(50, 5), at: .now)))
      #expect(await eventually { provider.coordinate == Samples.coordinate(50, 5) })
      #expect(
        await eventually {
          let restarted = ana.makeCurrentLocationProvider()
          await restarted.restore()
          return restarted.choice.taken?.verdict == .lastKnown(from: "manual")
        })
    }
  }

  @Test func `a pin of another process is not overwritten by the end of an old one`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let (events, source) = AsyncStream.makeStream(of: LocationEvent.self)
      let provider = CurrentLocationProvider(
        authService: ana.authService, persistenceService: ana.statePersistence,
        sources: [LocationSource(name: "gpsd") { _ in events }])
      try await provider.setManual(
        Samples.lisbon, at: WireTime.now.advanced(by: .seconds(-60)))
      // given: another process sets a pin, and this one has not seen the file yet
      try await ana.makeCurrentLocationProvider().setManual(Samples.porto, placeName: "Porto")
      // when
      provider.startTracking()
      source.yield(.state(.running))
      source.yield(.fix(fix(Samples.coordinate(40, 5), at: .now)))
      source.yield(.fix(fix(Samples.coordinate(50, 5), at: .now)))
      #expect(await eventually { provider.source == "gpsd" })
      // then
      await provider.restore()
      #expect(provider.choice.taken?.verdict == .pinned(until: nil))
      // The device stays where it was measured when the new pin was found.
      source.yield(.fix(fix(Samples.coordinate(50, 5), at: WireTime.now.advanced(by: .seconds(1)))))
      await provider.restore()
      #expect(provider.choice.taken?.verdict == .pinned(until: nil))
      let restarted = ana.makeCurrentLocationProvider()
      await restarted.restore()
      #expect(restarted.choice.taken?.verdict == .pinned(until: nil))
      #expect(restarted.fix?.placeName == "Porto")
    }
  }

  @Test func `states and fixes of a source are seen, and its silence falls back`() async throws {
    let (events, source) = AsyncStream.makeStream(of: LocationEvent.self)
    let provider = CurrentLocationProvider(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService(),
      sources: [LocationSource(name: "gpsd") { _ in events }])
    func state() -> LocationSourceState? {
      provider.choice.candidates.first { $0.id == "gpsd" }?.state
    }
    #expect(state() == .notAsked)
    provider.startTracking()
    provider.startTracking()
    source.yield(.state(.searching("satellites")))
    #expect(await eventually { state() == .searching("satellites") })
    source.yield(.state(.running))
    source.yield(.fix(fix(Samples.porto, at: .now)))
    #expect(await eventually { provider.coordinate == Samples.porto })
    #expect(provider.choice.taken?.verdict == .measured)
    source.yield(.state(.unavailable("unplugged")))
    #expect(await eventually { provider.choice.taken?.verdict == .lastKnown(from: "gpsd") })
    #expect(provider.coordinate == Samples.porto)
    provider.stopTracking()
    #expect(state() == .notAsked)
  }

  @Test func `a source is let go of when tracking stops, and started anew at another pace`()
    async throws
  {
    let started = Watched([LocationPace]())
    let ended = Watched(0)
    let provider = CurrentLocationProvider(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService(),
      sources: [
        LocationSource(name: "gpsd") { pace in
          started.change { $0.append(pace) }
          return AsyncStream { continuation in
            continuation.onTermination = { _ in ended.change { $0 += 1 } }
          }
        }
      ])
    provider.setPace(.every(.seconds(45)))
    #expect(started.value == [])
    provider.startTracking()
    #expect(provider.isTracking)
    provider.setPace(.every(.seconds(45)))
    #expect(started.value == [.every(.seconds(45))])
    provider.setPace(.continuous)
    #expect(started.value == [.every(.seconds(45)), .continuous])
    #expect(await ended.first(within: PollingBackoff.limit) { $0 == 1 } != nil)
    provider.stopTracking()
    #expect(!provider.isTracking)
    #expect(await ended.first(within: PollingBackoff.limit) { $0 == 2 } != nil)
  }

  @Test func `a survey waits until each source has a fix or cannot have one`() async throws {
    let (events, source) = AsyncStream.makeStream(of: LocationEvent.self)
    let provider = CurrentLocationProvider(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService(),
      sources: [
        LocationSource(name: "gpsd") { _ in events },
        LocationSource(name: "geoclue") { _ in
          AsyncStream { $0.yield(.state(.denied("no agent"))) }
        },
      ])
    let survey = Task { await provider.survey(within: .seconds(90)) }
    source.yield(.state(.running))
    source.yield(.fix(fix(Samples.porto, at: .now)))
    let choice = await survey.value
    #expect(choice.taken?.id == "gpsd")
    #expect(choice.candidates.map(\.state?.name).contains("denied"))
    #expect(!provider.isTracking)
    // Nothing comes: it ends all the same.
    let silent = CurrentLocationProvider(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService(),
      sources: [LocationSource(name: "gpsd") { _ in AsyncStream { _ in } }])
    #expect(await silent.survey(within: .milliseconds(20)).fix == nil)
  }

  private func fix(_ place: Coordinate, at time: WireTime) -> LocationFix {
    LocationFix(coordinate: place, accuracyMetres: 8, recordedAt: time, source: "gpsd")
  }
}
