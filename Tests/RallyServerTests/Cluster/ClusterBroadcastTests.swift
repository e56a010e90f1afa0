import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
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

  @Test(arguments: [false, true])
  func `whoever was told that they joined hears what is said then, on any server`(
    _ wasSwept: Bool
  ) async throws {
    try await FaultyCluster.with(2) { cluster in
      let ana = try await Person.signUp("ana", on: cluster.nodes[0])
      let ben = try await Person.signUp("ben", on: cluster.nodes[1])
      let room = "realtime:room"
      let forAna = try await join(room, ana, on: cluster.nodes[0])
      let forBen = try await RealtimeProbe.connect(cluster.nodes[1])
      if wasSwept {
        try await forBen.join("realtime:other", token: ben.session.accessToken)
        cluster.proxies[1].begin(.away)
        try await eventually("the lost server is swept") {
          try await cluster.leases == 1
        }
      }
      // The news of a server that is there again, or has its first channel, would come late.
      cluster.proxies[1].begin(.delay(.milliseconds(100)))
      try await forBen.join(room, token: ben.session.accessToken)
      try await forAna.push(
        .broadcast, room, ["type": "broadcast", "event": "wave", "payload": [:]])
      #expect(try await forBen.next(.broadcast)["payload"]?["event"] == "wave")
      for probe in [forAna, forBen] { try await probe.close() }
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
      try await forAna.push(
        .broadcast, room, ["type": "broadcast", "event": "wave", "payload": ["n": 1]])
      let heard = try await forBen.next(.broadcast)["payload"]
      #expect(heard?["event"] == "wave")
      #expect(heard?["payload"] == ["n": 1])
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
      // Over HTTP, from a server where nobody has a socket.
      let sent = try await ana.client.send(
        .POST, "/realtime/v1/api/broadcast",
        ["messages": [["topic": .string(room), "event": "go", "payload": ["at": "noon"]]]])
      #expect(sent.status == 202)
      #expect(try await forBen.next(.broadcast)["payload"]?["payload"] == ["at": "noon"])
      _ = try await ben.result(of: LeaveMission(missionID: mission.id))
      _ = try await forBen.next(.close)
      try await forBen.close()
    }
  }
}
