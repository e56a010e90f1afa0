import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct MissionsServiceTests {
  @Test func `a mission is made, found, changed and ended`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = ana.missionsService
      let made = try await ana.makeMission(title: "Fog run")
      #expect(made.objectives.map(\.title) == ["Blue door", "Stone cat"])
      #expect(try await service.fetchMission(made.id).title == "Fog run")
      var update = UpdateMission(missionID: made.id)
      update.title = "Fog walk"
      #expect(try await service.updateMission(update).title == "Fog walk")
      let near = try await service.fetchAllMissions(
        scope: .nearby, around: Samples.lisbon, radiusMetres: 1000)
      #expect(near.map(\.id) == [made.id])
      _ = try await service.completeMission(made.id)
      #expect(try await service.fetchAllMissions(scope: .active).isEmpty)
      #expect(try await service.fetchMissions(scope: .done).map(\.title) == ["Fog walk"])
    }
  }

  @Test func `who is no member is refused, and a line is posted once`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let mission = try await ana.makeMission()
      let service = ben.missionsService
      #expect(await refusal { _ = try await service.sayInMission(mission.id, text: "hi") } != nil)
      _ = try await service.joinMission(mission.id)
      let clientID = UUID()
      for _ in 0..<2 {
        _ = try await service.sayInMission(mission.id, text: "hi", clientID: clientID)
      }
      let lines = try await service.fetchMissionActivity(missionID: mission.id, limit: 50)
      #expect(lines.filter { $0.kind == .said }.map(\.text) == ["hi"])
    }
  }

  @Test func `an unknown mission and a missing network are told apart`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = ana.missionsService
      #expect(await refusal { _ = try await service.fetchMission(Samples.id(9)) } == .notFound)
      ana.gate.goOffline()
      let error = await #expect(throws: NetworkError.self) { try await service.fetchComing() }
      #expect(error?.isOffline == true)
    }
  }
}
