import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem

/// What the client makes of a server that sends anything at all.
@Suite struct HostileServerTests {
  /// A second program of a person, for whom the server's answers are falsified.
  private func services(of person: TestPerson, on server: TestServer) async throws -> AppServices {
    let services = await AppServices(
      folders: try RallyFolders(data: person.folder.file("second"), environment: [:]),
      server: .remote(try ServerURL(server.url), key: server.key),
      transport: HostileText.transport())
    try await services.authService.signIn(
      email: "\(person.username)@example.org", password: Samples.password)
    return services
  }

  private func expectClean(
    _ texts: [String], _ limits: TextLimits, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for text in texts {
      #expect(HostileText.forbidden(in: text) == [], sourceLocation: sourceLocation)
      #expect(HostileText.marks(in: text) <= TextLimits.marks, sourceLocation: sourceLocation)
      #expect(text.utf8.count <= limits.bytes, sourceLocation: sourceLocation)
    }
  }

  @Test func `every list comes without the row that is none, with text that is clean and short`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let mission = try await ben.makeMission()
      _ = try await ana.missionsService.joinMission(mission.id)
      _ = try await ben.missionsService.sayInMission(mission.id, text: "hello")
      let services = try await services(of: ana, on: server)

      let friends = try await services.friendsService.fetchFriends()
      #expect(friends.map(\.id) == [ben.userID])
      #expect(friends.received == 2)
      expectClean(friends.map(\.displayName), .name)
      expectClean(friends.map(\.bio), .bio)
      expectClean(friends.map(\.username), .username)

      let missions = try await services.missionsService.fetchAllMissions(scope: .active)
      #expect(missions.map(\.id) == [mission.id])
      expectClean(missions.map(\.title) + missions.flatMap(\.objectives).map(\.title), .title)
      expectClean(missions.flatMap(\.members).map(\.displayName), .name)

      let lines = try await services.missionsService.fetchMissionActivity()
      #expect(lines.map(\.kind).contains(.said))
      expectClean(lines.compactMap(\.text), .line)
      expectClean(lines.map(\.missionTitle), .title)

      let sharing = try await services.locationsService.fetchLocationSharing()
      #expect(sharing.compactMap(\.userID) == [ben.userID])
      expectClean(sharing.compactMap(\.displayName), .name)
    }
  }

  @Test func `lines beyond one that cannot be read are fetched`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let mission = try await ana.makeMission()
      for number in 0..<9 {
        _ = try await ana.missionsService.sayInMission(mission.id, text: "\(number)")
      }
      let services = try await services(of: ana, on: server)
      // Each answer has room for one of them only, beside the row that is none.
      let lines = try await services.missionsService.fetchMissionActivity(limit: 4)
      #expect(lines.compactMap { $0.text?.first } == ["8", "7", "6", "5"])
    }
  }
}
