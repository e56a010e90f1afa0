import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain

@MainActor
@Suite struct LocationsRealtimeServiceTests {
  @Test func `the next position of a friend is waited for, and of nobody else`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let bob = try await TestPerson(signingUp: "bob", on: server)
      let service = ana.locationsService
      try await befriend(ana, bob)
      try await bob.locationsService.setLocationSharing(userID: ana.userID, mode: .precise)
      let looks = Watched(0)
      let next = Task {
        try await ana.locationsRealtimeService.nextPosition(of: bob.userID, within: .seconds(600)) {
          looks.change { $0 += 1 }
          return try await service.fetchFriendLocations().first?.coordinate
        }
      }
      // It looks once it is told of everything that comes.
      #expect(await eventually { looks.value > 0 })
      try await bob.locationsService.publishLocations([
        LocationReport(coordinate: Samples.lisbon, recordedAt: .now, source: "manual")
      ])
      #expect(try await next.value == Samples.lisbon)
    }
  }

  @Test func `what does not come in time is nothing`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let found = try await ana.locationsRealtimeService.nextPosition(
        of: Samples.id(1), within: .milliseconds(1)
      ) { nil as Coordinate? }
      #expect(found == nil)
    }
  }
}
