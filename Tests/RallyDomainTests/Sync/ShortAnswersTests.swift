import Foundation
import RallyDomain
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// Lists of a server whose answers have room for few rows each.
@Suite struct ShortAnswersTests {
  @Test func `a list that comes in many short answers comes whole`() async throws {
    try await TestServer.with(configure: { $0.budgets[.answerBytes] = 700 }) { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      var missions: Set<UUID> = []
      for number in 0..<5 {
        missions.insert(try await ana.makeMission(title: "Mission \(number)").id)
        try await befriend(ana, TestPerson(signingUp: "friend\(number)", on: server))
      }
      let seen = try await ana.missionsService.fetchAllMissions(scope: .active)
      #expect(Set(seen.map(\.id)) == missions)
      #expect(ana.gate.calls(of: "fetch_missions") > 1)
      // One for each friend, and the default.
      #expect(try await ana.locationsService.fetchLocationSharing().count == 6)
      #expect(ana.gate.calls(of: "fetch_location_sharing") > 1)
    }
  }
}
