import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyServer

/// Broadcasts between people on two servers.
@Suite struct ClusterBroadcastTests {
  private func join(
    _ topic: String, _ person: Person, on server: TestServer
  ) async throws -> RealtimeProbe {
    let probe = try await RealtimeProbe.connect(server)
    try await probe.join(topic, token: person.session.accessToken)
    return probe
  }

  private func leases(_ count: Int, _ pair: ServerPair) async throws {
    try await eventually("\(count) leases") {
      try await pair.read { try NodeRecords.others(than: "", in: $0).count } == count
    }
  }

  @Test func `a room is one on all servers, except for people who block each other`()
    async throws
  {
    try await ServerPair.with { pair in
      let ana = try await Person.signUp("ana", on: pair.one)
      let ben = try await Person.signUp("ben", on: pair.other)
      let eve = try await Person.signUp("eve", on: pair.other)
      _ = try await ana.result(of: BlockUser(userID: eve.id))
      let room = "realtime:room"
      let forAna = try await join(room, ana, on: pair.one)
      let forEve = try await join(room, eve, on: pair.other)
      let forBen = try await join(room, ben, on: pair.other)
      try await leases(2, pair)
      // The first may be said before the news that there is another server has come.
      var heard: JSONValue?
      try await eventually("ben hears") {
        try await forAna.push(
          .broadcast, room, ["type": "broadcast", "event": "wave", "payload": ["n": 1]])
        heard = try await forBen.drain().first { $0["event"] == "broadcast" }
        return heard != nil
      }
      #expect(heard?["payload"]?["event"] == "wave")
      #expect(heard?["payload"]?["payload"] == ["n": 1])
      // Back, and nothing of it comes to its own server a second time.
      _ = try await forAna.drain()
      try await forBen.push(
        .broadcast, room, ["type": "broadcast", "event": "back", "payload": [:]])
      #expect(try await forAna.next(.broadcast)["payload"]?["event"] == "back")
      #expect(try await forBen.drain().allSatisfy { $0["payload"]?["event"] != "back" })
      #expect(try await forEve.drain().allSatisfy { $0["payload"]?["event"] != "wave" })
      for probe in [forAna, forBen, forEve] { try await probe.close() }
    }
  }

  @Test func `a mission's room is for its members on every server`() async throws {
    try await ServerPair.with { pair in
      let ana = try await Person.signUp("ana", on: pair.one)
      let ben = try await Person.signUp("ben", on: pair.other)
      try await ana.befriend(ben)
      let mission = try await ana.result(of: CreateMission.sample("Tiles"))
      _ = try await ben.result(of: JoinMission(missionID: mission.id))
      let room = "\(TopicAccess.missionPrefix)\(mission.id.wireText)"
      let forBen = try await join(room, ben, on: pair.other)
      try await leases(1, pair)
      // Over HTTP, from a server where nobody has a socket.
      var heard: JSONValue?
      try await eventually("ben hears") {
        let sent = try await ana.client.send(
          .POST, "/realtime/v1/api/broadcast",
          [
            "messages": [["topic": .string(room), "event": "go", "payload": ["at": "noon"]]]
          ])
        #expect(sent.status == 202)
        heard = try await forBen.drain().first { $0["event"] == "broadcast" }
        return heard != nil
      }
      #expect(heard?["payload"]?["payload"] == ["at": "noon"])
      _ = try await ben.result(of: LeaveMission(missionID: mission.id))
      _ = try await forBen.next(.close)
      try await forBen.close()
    }
  }
}
