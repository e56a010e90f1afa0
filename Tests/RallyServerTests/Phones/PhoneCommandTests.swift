import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// When the app on a phone is told to report: member 0 asks, the phones are of member 1.
@Suite(.everyEngine) struct PhoneCommandTests {
  private func friends() async throws -> ServerWorld {
    let world = try await ServerWorld(members: 3, at: ServerWorld.noon)
    for friend in [0, 2] { try await world.befriend(friend, 1) }
    return world
  }

  private func ask(_ world: ServerWorld) async throws {
    try await world.call(AskLocation(userID: world.members[1].id), as: 0)
  }

  /// The commands in the reply to the next post of a phone.
  private func commands(_ phone: AccessSecret, in world: ServerWorld) async throws -> [String] {
    world.wait(seconds: 1)
    let post = PhonePost(fixes: [.sample(at: world.now)], wantsFriends: true)
    let stored = try await world.post(post, with: phone)
    return try OwnTracksReply(WireJSON.encode(try await world.reply(to: stored))).commands
  }

  @Test func `each phone is told once for each question`() async throws {
    let world = try await friends()
    try await world.share(.approximate10km, of: 1, with: 0)
    let phones = [try await world.addPhone(of: 1), try await world.addPhone(of: 1)]
    #expect(try await commands(phones[0], in: world) == [])
    try await ask(world)
    for phone in phones {
      #expect(try await commands(phone, in: world) == ["reportLocation"])
      #expect(try await commands(phone, in: world) == [])
    }
    world.wait(seconds: 600)
    try await ask(world)
    #expect(try await commands(phones[0], in: world) == ["reportLocation"])
    #expect(try await commands(phones[0], in: world) == [])
  }

  @Test func `only what the asker may see anyway is asked for`() async throws {
    let world = try await friends()
    let phone = try await world.addPhone(of: 1)
    try await world.share(.precise, of: 1, with: 2)
    try await ask(world)
    #expect(try await commands(phone, in: world) == [])
    // The share that answers is what the phone is to bring up to date.
    try await world.share(.approximate1km, of: 1, with: 0)
    #expect(try await commands(phone, in: world) == ["reportLocation"])
    world.wait(seconds: 600)
    try await ask(world)
    try await world.share(.off, of: 1, with: 0)
    #expect(try await commands(phone, in: world) == [])
    try await world.share(.precise, of: 1, with: 0)
    world.wait(seconds: 1800)
    #expect(try await commands(phone, in: world) == [])
  }

  @Test func `a dismissal changes nothing, so that it shows in no position either`() async throws {
    let world = try await friends()
    let phone = try await world.addPhone(of: 1)
    try await world.share(.precise, of: 1, with: 0)
    try await ask(world)
    try await world.call(CloseLocationAsk(userID: world.members[0].id), as: 1)
    #expect(try await commands(phone, in: world) == ["reportLocation"])
  }

  @Test(.acrossNodes) func `the app reads it in the reply to its next message`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      try await ana.share(.precise)
      let phone = try await TestPhone.add(.owntracks, to: ana)
      #expect(try await phone.report(.lisbon).json == [])
      _ = try await ben.result(of: AskLocation(userID: ana.id))
      let told = try await phone.post(#"{"_type":"lwt","tst":1}"#)
      #expect(told.json == [["_type": "cmd", "action": "reportLocation"]])
      #expect(try await phone.report(.porto, at: .now.advanced(by: .seconds(1))).json == [])
      #expect(try await ben.location(of: ana)?.coordinate == .porto)
    }
  }
}
