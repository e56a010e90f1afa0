import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct SharingRealtimeServiceTests {
  @Test func `a position that another terminal of mine sends is told`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = SharingRealtimeService(client: ana.client)
      var events = try await service.listen().makeAsyncIterator()
      while let event = await events.next(), event != .live {}
      try await ana.locationsService.publishLocations([
        LocationReport(coordinate: Samples.lisbon, recordedAt: .now, source: "manual")
      ])
      var place: Coordinate?
      while place == nil, let event = await events.next() {
        if case .changed(.position(let record)) = event { place = record.coordinate }
      }
      #expect(place == Samples.lisbon)
      await service.leave()
      while await events.next() != nil {}
      await ana.client.realtime?.stop()
    }
  }

  @Test func `nobody listens without a server`() async {
    await #expect(throws: NetworkError.notConfigured) {
      _ = try await SharingRealtimeService(client: SupabaseClient()).listen()
    }
  }
}
