import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

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

  @Test func `the newest fix counts, whichever source it came from`() async throws {
    let (fixes, receiver) = AsyncStream.makeStream(of: LocationFix.self)
    let provider = CurrentLocationProvider(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService(),
      sources: [LocationSource { fixes }])
    func fix(_ place: Coordinate, _ seconds: Int) -> LocationFix {
      LocationFix(
        coordinate: place, recordedAt: Samples.time.advanced(by: .seconds(seconds)),
        source: "gps")
    }
    try await provider.setManual(Samples.lisbon, at: Samples.time)
    provider.startTracking()
    provider.startTracking()
    receiver.yield(fix(Samples.porto, -5))
    receiver.yield(fix(Samples.porto, 5))
    #expect(await eventually { provider.coordinate == Samples.porto })
    #expect(provider.source == "gps")
    provider.receive(fix(Samples.lisbon, 4))
    #expect(provider.coordinate == Samples.porto)
    provider.receive(fix(Samples.lisbon, 6))
    #expect(provider.coordinate == Samples.lisbon)
  }

  @Test func `a source is let go of when tracking stops`() async throws {
    let ended = Watched(false)
    let provider = CurrentLocationProvider(
      authService: AuthService(client: SupabaseClient()), persistenceService: PersistenceService(),
      sources: [
        LocationSource {
          AsyncStream { continuation in
            continuation.onTermination = { _ in ended.change { $0 = true } }
          }
        }
      ])
    provider.startTracking()
    #expect(provider.isTracking)
    provider.stopTracking()
    #expect(!provider.isTracking)
    #expect(await ended.first(within: .seconds(90)) { $0 } != nil)
  }
}
