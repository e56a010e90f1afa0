import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Missions whose members are asked to show the way when they start.
@Suite(.everyEngine) struct LiveMissionTests {
  @Test func `the maker decides, and every member is told`() async throws {
    let world = try await ServerWorld(members: 2, at: ServerWorld.noon, tables: ["missions"])
    try await world.befriend(0, 1)
    var call = CreateMission.sample()
    let plain = try await world.create(call, as: 0)
    #expect(plain.isLive == false)
    call.isLive = true
    let live = try await world.create(call, as: 0)
    #expect(live.isLive == true)
    try await world.call(JoinMission(missionID: live.id), as: 1)
    try await world.turn()
    _ = await world.frames(for: 1)

    // What a change leaves out stays.
    var update = UpdateMission(missionID: live.id)
    update.title = "Fog run"
    #expect(try await world.result(of: update, as: 0).isLive == true)
    update = UpdateMission(missionID: live.id)
    update.isLive = false
    #expect(try await world.result(of: update, as: 0).isLive == false)
    #expect(try await world.result(of: FetchMission(missionID: live.id), as: 1).isLive == false)
    try await world.turn()
    let rows = try await world.frames(for: 1).compactMap { frame in
      try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))["payload"]?["data"]?["record"]
    }
    #expect(rows.last?["is_live"] == .bool(false))

    // Only the maker decides.
    update.isLive = true
    #expect(try await world.refusal(of: update, as: 1) == "not_creator")
  }
}
