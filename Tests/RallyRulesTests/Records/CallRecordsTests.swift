import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

@Suite(.everyEngine) struct CallRecordsTests {
  @Test func `calls are kept for a week, reports of positions for an hour`() async throws {
    let now = WireTime("2026-08-01T12:00:00Z")!
    let world = try await ServerWorld(members: 1, at: now)
    let user = world.members[0].caller.userID
    let kept = try await world.storage.write { database in
      for (function, seconds) in [
        (PublishLocations.name, 3500), (PublishLocations.name, 3700), (RequestFriend.name, 3700),
        (RequestFriend.name, 604_700), (RequestFriend.name, 604_900),
      ] {
        _ = try CallRecords.claim(
          "\(function) \(seconds)", for: user, function: function, argumentsHash: "",
          at: now.advanced(by: .seconds(-seconds)), in: database)
      }
      try CallRecords.trim(at: now, in: database)
      return try String.fetchAll(database, sql: "SELECT client_id FROM calls ORDER BY at DESC")
    }
    #expect(
      kept == ["publish_locations 3500", "request_friend 3700", "request_friend 604700"])
  }
}
