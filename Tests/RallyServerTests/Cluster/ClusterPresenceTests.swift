import Foundation
import RallyStorage
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Who is there, as seen from another server on the same database.
@Suite struct ClusterPresenceTests {
  /// Joins the presence topic and is there.
  private func enter(
    _ person: Person, on server: TestServer, seeing others: [Person] = []
  ) async throws -> RealtimeProbe {
    let probe = try await RealtimeProbe.connect(server)
    try await probe.join(
      RealtimeTopic.presence, token: person.session.accessToken, presence: true)
    let state = try await probe.next(.presenceState)
    #expect(state["payload"]?.object?.keys.sorted() == others.map(\.wireID).sorted())
    try await track(probe)
    let own = try await probe.next(.presenceDiff)
    #expect(own["payload"]?["joins"]?.object?.keys.first == person.wireID)
    return probe
  }

  private func track(_ probe: RealtimeProbe, device: JSONValue = "laptop") async throws {
    let ref = try await probe.push(
      .presence, RealtimeTopic.presence,
      ["type": "presence", "event": "track", "payload": ["device": device]])
    _ = try await probe.next(.reply, ref: ref)
  }

  /// Waits until the database knows of so many devices.
  private func told(_ count: Int, _ pair: ServerPair) async throws {
    try await eventually("\(count) devices") {
      try await pair.read { try PresenceRecords.all(except: "", from: $0).count } == count
    }
  }

  private func signUp(_ pair: ServerPair) async throws -> (ana: Person, ben: Person) {
    let ana = try await Person.signUp("ana", on: pair.one)
    let ben = try await Person.signUp("ben", on: pair.other)
    try await ana.befriend(ben)
    return (ana, ben)
  }

  @Test func `friends on two servers see each other come, change and go`() async throws {
    try await ServerPair.with { pair in
      let (ana, ben) = try await signUp(pair)
      let forAna = try await enter(ana, on: pair.one)
      try await told(1, pair)
      let forBen = try await enter(ben, on: pair.other, seeing: [ana])
      let came = try await forAna.next(.presenceDiff)["payload"]?["joins"]?[ben.wireID]
      let first = try #require(came?["metas"]?.array?.first)
      #expect(first["device"] == "laptop")
      #expect(try await ana.result(of: FetchFriends()).first?.presence == .online)
      #expect(try await ben.result(of: FetchFriends()).first?.presence == .online)

      try await track(forBen, device: "phone")
      let changed = try await forAna.next(.presenceDiff)["payload"]
      let second = changed?["joins"]?[ben.wireID]?["metas"]?.array?.first
      #expect(second?["device"] == "phone")
      #expect(second?["phx_ref_prev"] == first["phx_ref"])
      #expect(changed?["leaves"]?[ben.wireID]?["metas"]?.array?.first == first)

      try await forBen.close()
      let gone = try await forAna.next(.presenceDiff)["payload"]
      #expect(gone?["leaves"]?[ben.wireID] != nil)
      try await eventually("ben is offline") {
        let friend = try await ana.result(of: FetchFriends()).first
        return friend?.presence == .offline && friend?.lastSeen != nil
      }
      try await forAna.close()
    }
  }

  @Test func `whoever is on both servers stays online when one of the sockets closes`()
    async throws
  {
    try await ServerPair.with { pair in
      let (ana, ben) = try await signUp(pair)
      let forAna = try await enter(ana, on: pair.one)
      let here = try await enter(ben, on: pair.one, seeing: [ana])
      _ = try await forAna.next(.presenceDiff)
      try await told(2, pair)
      let there = try await enter(ben, on: pair.other, seeing: [ana, ben])
      // Ben's first device hears of the second one, too.
      #expect(try await here.next(.presenceDiff)["payload"]?["joins"]?[ben.wireID] != nil)
      _ = try await forAna.next(.presenceDiff)
      try await here.close()
      #expect(try await forAna.next(.presenceDiff)["payload"]?["leaves"]?[ben.wireID] != nil)
      #expect(try await ana.result(of: FetchFriends()).first?.presence == .online)
      #expect(try await ana.result(of: FetchFriends()).first?.lastSeen == nil)
      try await there.close()
      _ = try await forAna.next(.presenceDiff)
      try await forAna.close()
    }
  }

  @Test func `a new friendship shows who is there, a block hides them`() async throws {
    try await ServerPair.with { pair in
      let ana = try await Person.signUp("ana", on: pair.one)
      let ben = try await Person.signUp("ben", on: pair.other)
      let forAna = try await enter(ana, on: pair.one)
      let forBen = try await enter(ben, on: pair.other)
      try await told(2, pair)
      #expect(try await forAna.drain().isEmpty)
      try await ana.befriend(ben)
      #expect(try await forAna.next(.presenceDiff)["payload"]?["joins"]?[ben.wireID] != nil)
      #expect(try await forBen.next(.presenceDiff)["payload"]?["joins"]?[ana.wireID] != nil)
      _ = try await ben.result(of: BlockUser(userID: ana.id))
      #expect(try await forAna.next(.presenceDiff)["payload"]?["leaves"]?[ben.wireID] != nil)
      #expect(try await forBen.next(.presenceDiff)["payload"]?["leaves"]?[ana.wireID] != nil)
      try await forBen.close()
      try await told(1, pair)
      #expect(try await forAna.drain().isEmpty)
      try await forAna.close()
    }
  }

  @Test func `a server that died is swept, and is back when it lives`() async throws {
    try await ServerPair.with { pair in
      let (ana, ben) = try await signUp(pair)
      let forAna = try await enter(ana, on: pair.one)
      try await told(1, pair)
      let forBen = try await enter(ben, on: pair.other, seeing: [ana])
      _ = try await forAna.next(.presenceDiff)
      try pair.cutOff()
      #expect(try await forAna.next(.presenceDiff)["payload"]?["leaves"]?[ben.wireID] != nil)
      let friend = try await ana.result(of: FetchFriends()).first
      #expect(friend?.presence == .offline)
      #expect(friend?.lastSeen != nil)
      // What the dead one did not hear.
      try await forAna.close()
      try pair.rejoin()
      #expect(try await forBen.next(.presenceDiff)["payload"]?["leaves"]?[ana.wireID] != nil)
      try await eventually("ben is back") {
        try await ana.result(of: FetchFriends()).first?.presence == .online
      }
      try await forBen.close()
    }
  }

  @Test func `a server without anybody holds no lease`() async throws {
    try await ServerPair.with { pair in
      let (ana, _) = try await signUp(pair)
      func nodes() async throws -> Int {
        try await pair.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM nodes") ?? 0 }
      }
      let probe = try await enter(ana, on: pair.one)
      #expect(try await nodes() == 1)
      try await probe.close()
      try await eventually("no lease") { try await nodes() == 0 }
    }
  }
}
