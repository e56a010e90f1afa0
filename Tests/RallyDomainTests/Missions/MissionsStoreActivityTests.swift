import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct MissionsStoreActivityTests {
  @Test func `a feed is read page by page, and the feed of all has every mission's lines`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let mission = try await ana.makeMission()
      let other = try await ana.makeMission(title: "Fog run")
      for number in 1...60 {
        _ = try await ana.missionsService.sayInMission(mission.id, text: "line \(number)")
      }
      let store = try await ana.makeMissionsStore()
      await store.openFeed(mission.id)
      let feed = try #require(store.feeds[mission.id])
      #expect(feed.lines.count == 50)
      #expect(feed.lines.first?.text == "line 60")
      #expect(feed.hasMore)
      await store.loadOlder(mission.id)
      #expect(store.feeds[mission.id]?.lines.count == 61)
      #expect(store.feeds[mission.id]?.lines.last?.kind == .created)
      #expect(store.feeds[mission.id]?.hasMore == false)
      // There is nothing older to ask for.
      let calls = ana.gate.calls(of: "fetch_mission_activity")
      await store.loadOlder(mission.id)
      #expect(ana.gate.calls(of: "fetch_mission_activity") == calls)
      await store.openFeed(nil)
      await store.loadOlder(nil)
      #expect(store.feeds[nil]?.lines.count == 62)
      #expect(store.feeds[nil]?.lines.contains { $0.missionID == other.id } == true)
    }
  }

  @Test func `opening a mission that no list has fetches it`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let mission = try await ana.makeMission()
      let store = try await ben.makeMissionsStore()
      await store.refreshAll(mode: .initial)
      #expect(store.mission(mission.id) == nil)
      await store.openFeed(mission.id)
      #expect(await eventually { store.mission(mission.id)?.title == "Lanterns" })
      // Its activity is for members only: the feed says so and stays empty.
      #expect(store.feeds[mission.id]?.problem != nil)
      #expect(store.presentedError == nil)
      // When it is gone for me it is forgotten.
      try await ana.friendsService.blockUser(userID: ben.userID)
      await store.refreshAll(mode: .refresh)
      #expect(store.mission(mission.id) == nil)
    }
  }

  @Test func `what I say shows as pending, then as a line of both feeds`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let mission = try await ana.makeMission()
      let store = try await ana.makeMissionsStore()
      await store.openFeed(mission.id)
      await store.openFeed(nil)
      ana.gate.hold("say_in_mission")
      let saying = Task { await store.say("  almost there ", in: mission.id) }
      #expect(await ana.gate.isHeld("say_in_mission"))
      #expect(store.pendingLines.map(\.text) == ["almost there"])
      ana.gate.release("say_in_mission")
      #expect(await saying.value.isDone)
      #expect(store.pendingLines.isEmpty)
      #expect(store.feeds[mission.id]?.lines.first?.text == "almost there")
      #expect(store.feeds[nil]?.lines.first?.text == "almost there")
    }
  }

  @Test func `a line that was not taken goes back to its field, and is said once`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let mission = try await ana.makeMission()
      let store = try await ana.makeMissionsStore()
      #expect(await store.say(" ", in: mission.id).problem?.field == .text)
      #expect(ana.gate.calls(of: "say_in_mission") == 0)
      ana.gate.loseAnswer("say_in_mission", times: 2)
      let problem = await store.say("almost there", in: mission.id).problem
      #expect(problem?.field == .text)
      #expect(problem?.advice == NetworkError.connectionLost.sentence)
      #expect(store.pendingLines.isEmpty)
      // The field shows it, and no message beside it.
      #expect(store.presentedError == nil)
      // It had arrived: the same text again is the same line.
      #expect(await store.say("almost there", in: mission.id).isDone)
      // Said on purpose again it is another one.
      #expect(await store.say("almost there", in: mission.id).isDone)
      await store.openFeed(mission.id)
      #expect(store.feeds[mission.id]?.lines.map(\.kind) == [.said, .said, .created])
    }
  }

  @Test func `a page that was read before my line does not take it away`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let mission = try await ana.makeMission()
      let store = try await ana.makeMissionsStore()
      await store.openFeed(mission.id)
      let old = try await ana.missionsService.fetchMissionActivity(missionID: mission.id)
      ana.gate.hold("fetch_mission_activity")
      let opening = Task { await store.openFeed(mission.id) }
      #expect(await ana.gate.isHeld("fetch_mission_activity"))
      #expect(await store.say("almost there", in: mission.id).isDone)
      ana.gate.answer(
        "fetch_mission_activity", HTTPAnswer(status: 200, body: try WireJSON.encode(old)))
      ana.gate.release("fetch_mission_activity")
      ana.gate.answer(
        "fetch_mission_activity", HTTPAnswer(status: 200, body: try WireJSON.encode(old)))
      await opening.value
      #expect(store.feeds[mission.id]?.lines.map(\.kind) == [.said, .created])
      ana.gate.release("fetch_mission_activity")
    }
  }
}
