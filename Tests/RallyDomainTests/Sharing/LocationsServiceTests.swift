import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct LocationsServiceTests {
  @Test func `a friend gets what is shared, to the cell`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      try await ana.locationsService.setLocationSharing(userID: nil, mode: .approximate1km)
      try await ana.locationsService.publishLocations([
        LocationReport(coordinate: Samples.lisbon, recordedAt: .now, source: "manual")
      ])
      let seen = try #require(try await ben.locationsService.fetchFriendLocations().first)
      #expect(seen.userID == ana.userID)
      #expect(
        seen.coordinate
          == GridCell(containing: Samples.lisbon, level: .oneKilometre).center)
      #expect(seen.precision == .approximate1km)
      #expect(
        try await ben.locationsService.fetchFriendLocations(
          since: .now.advanced(by: .seconds(60))
        ).isEmpty)
      // What I am told that ben sees is what ben sees.
      let rows = try await ana.locationsService.fetchLocationSharing()
      #expect(rows.map(\.username) == [nil, "ben"])
      #expect(rows.last?.location == seen)
    }
  }

  @Test func `a stranger cannot be shared with`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      await #expect(throws: NetworkError.self) {
        try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: .precise)
      }
    }
  }

  @Test func `positions are heard as they change, and as they go`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: .precise)
      var events = try await ben.locationsRealtimeService.listen().makeAsyncIterator()
      #expect(await events.next() == .live)
      try await ana.locationsService.publishLocations([
        LocationReport(coordinate: Samples.lisbon, recordedAt: .now, source: "manual")
      ])
      guard case .changed(.moved(let record))? = await events.next() else {
        Issue.record("expected a position")
        return
      }
      #expect(record.userID == ana.userID)
      #expect(record.coordinate == Samples.lisbon)
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: .off)
      #expect(await events.next() == .changed(.removed(ana.userID)))
      await ben.locationsRealtimeService.leave()
      #expect(await events.next() == nil)
    }
  }
}
