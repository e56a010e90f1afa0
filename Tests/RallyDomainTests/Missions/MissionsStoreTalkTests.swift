import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

/// Which lines of others were seen on this machine.
@MainActor
@Suite struct MissionsStoreTalkTests {
  @Test func `lines of others are unread until they are seen, also after a restart`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let mission = try await ana.makeMission()
      _ = try await ben.missionsService.joinMission(mission.id)
      _ = try await ana.missionsService.sayInMission(mission.id, text: "before the first start")

      // What is older than the first start on this machine counts as seen.
      let first = try await ben.makeMissionsStore()
      await first.restoreFromCache()
      await first.refreshAll(mode: .initial)
      await first.openFeed(nil)
      #expect(first.feeds[nil]?.lines.isEmpty == false)
      #expect(first.unreadCounts.isEmpty)

      _ = try await ana.missionsService.sayInMission(mission.id, text: "one")
      _ = try await ana.missionsService.sayInMission(mission.id, text: "two")
      _ = await first.say("three", in: mission.id)
      await first.openFeed(nil)
      #expect(first.unreadCounts == [mission.id: 2])
      // The feed of the mission has the same lines, which count once.
      await first.openFeed(mission.id)
      #expect(first.unreadCounts == [mission.id: 2])
      await first.saveState()

      let second = try await ben.makeMissionsStore()
      await second.restoreFromCache()
      await second.refreshAll(mode: .initial)
      await second.openFeed(mission.id)
      #expect(second.unreadCounts == [mission.id: 2])
      let lines = try #require(second.feeds[mission.id]?.lines)
      let one = try #require(lines.first { $0.text == "one" })
      second.see(mission.id, upTo: one.createdAt)
      #expect(second.unreadCounts == [mission.id: 1])
      // Looking further up again makes nothing unread.
      second.see(mission.id, upTo: try #require(lines.last).createdAt)
      #expect(second.unreadCounts == [mission.id: 1])
      await second.saveState()

      let third = try await ben.makeMissionsStore()
      await third.restoreFromCache()
      await third.refreshAll(mode: .initial)
      await third.openFeed(mission.id)
      #expect(third.unreadCounts == [mission.id: 1])
    }
  }

  @Test func `of more missions than are remembered, the one seen longest ago counts as seen`() {
    var reading = TalkReading(since: Samples.time)
    for number in 0...TalkReading.limit {
      let time = Samples.time.advanced(by: .seconds(number + 1))
      let isNews = reading.see(Samples.id(number), upTo: time, now: time)
      #expect(isNews)
    }
    #expect(reading.seen.count == TalkReading.limit)
    #expect(
      reading.seenUpTo(Samples.id(0), joinedAt: nil) == Samples.time.advanced(by: .seconds(1)))
    let joinedAt = Samples.time.advanced(by: .seconds(9))
    #expect(reading.seenUpTo(Samples.id(9999), joinedAt: joinedAt) == joinedAt)
  }
}
