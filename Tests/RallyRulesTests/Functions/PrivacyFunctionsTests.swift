import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

@Suite(.everyEngine) struct PrivacyFunctionsTests {
  private static var rules: PrivacyRules {
    get throws {
      var rules = PrivacyRules()
      rules.zones = [
        PrivacyZone(name: "home", centre: .lisbon, radiusMetres: 450, allows: .nothing)
      ]
      rules.hours = [try SharingHours("work", typed: ["mon-fri", "9-18"])]
      rules.timeZone = "Europe/Lisbon"
      return rules
    }
  }

  /// Everything in every table but the rules themselves, as text.
  private func others(in world: ServerWorld) async throws -> String {
    try await world.storage.read { database in
      try database.tables().filter { $0 != "privacy_rules" }.flatMap { table in
        try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map(\.description)
      }.joined(separator: "\n")
    }
  }

  @Test func `rules are kept for their owner alone, and changed as a whole`() async throws {
    let world = try await ServerWorld(members: 2, at: ServerWorld.noon)
    func kept(_ member: Int) async throws -> PrivacyRules? {
      try await world.result(of: FetchPrivacyRules(), as: member).rules
    }
    #expect(try await kept(0) == nil)
    let call = FunctionCall(SetPrivacyRules(rules: try Self.rules), clientID: UUID())
    #expect(try await world.call(call, as: 0) == "")
    #expect(try await world.call(call, as: 0) == "")
    #expect(try await kept(0) == Self.rules)
    #expect(try await kept(1) == nil)
    // No copy of an argument stands anywhere else, and no digest that could be inverted.
    let rest = try await others(in: world)
    #expect(!rest.contains("home") && !rest.contains("38.7223"))
    #expect(rest.contains("args_hash:\"\""))
    #expect(try await world.refusal(of: SetPrivacyRules(rules: nil), as: 0) == nil)
    #expect(try await kept(0) == nil)
  }

  @Test func `what are no rules is refused, and no word of the answer is a place`() async throws {
    let world = try await ServerWorld(members: 1, at: ServerWorld.noon)
    var rules = try Self.rules
    rules.zones = (0...PrivacyRules.limit).map { number in
      PrivacyZone(name: "z\(number)", centre: .lisbon, radiusMetres: 450, allows: .nothing)
    }
    let answer = try await world.call(SetPrivacyRules(rules: rules), as: 0)
    #expect(answer.contains("invalid_argument") && !answer.contains("38."))
    rules = try Self.rules
    rules.timeZone = "Mars/Olympus"
    #expect(
      try await world.refusal(of: SetPrivacyRules(rules: rules), as: 0) == "invalid_argument")
    #expect(try await world.result(of: FetchPrivacyRules(), as: 0).rules == nil)
  }

  @Test(arguments: [false, true])
  func `the owner's machines hear of a change, and nobody else`(hasDefault: Bool) async throws {
    let world = try await ServerWorld(
      members: 2, at: ServerWorld.noon, tables: ["locations", "location_sharing"])
    try await world.befriend(0, 1)
    if hasDefault { try await world.share(.precise, of: 0) }
    try await world.turn()
    for member in 0...1 { _ = await world.frames(for: member) }
    func heard(_ member: Int) async throws -> [String] {
      try await world.turn()
      return await world.frames(for: member)
    }
    let rules = try Self.rules
    try await world.call(SetPrivacyRules(rules: rules), as: 0)
    let frames = try await heard(0)
    #expect(frames.count == 1)
    #expect(frames.first?.contains("location_sharing") == true)
    #expect(frames.first?.contains("home") == false)
    #expect(try await heard(1).isEmpty)
    // The same again is no change.
    try await world.call(SetPrivacyRules(rules: rules), as: 0)
    #expect(try await heard(0).isEmpty)
    // No table that clients read has any of it.
    for table in ReadableTable.allCases {
      for member in 0...1 {
        let rows = try await world.rows(of: table, as: member)
        #expect(!"\(rows)".contains("38.7223") && !"\(rows)".contains("home"))
      }
    }
  }

  @Test func `rules go with their account`() async throws {
    let world = try await ServerWorld(members: 1, at: ServerWorld.noon)
    try await world.call(SetPrivacyRules(rules: try Self.rules), as: 0)
    let (id, time) = (world.members[0].caller.userID, world.now)
    _ = try await world.storage.write { database in
      try AccountDeletion.delete(id, at: time, in: database)
    }
    let left = try await world.storage.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM privacy_rules")
    }
    #expect(left == 0)
  }

  @Test func `a withdrawn position is gone for everybody, and the next report counts`()
    async throws
  {
    let world = try await ServerWorld(members: 2, at: ServerWorld.noon)
    try await world.befriend(0, 1)
    try await world.share(.precise, of: 0)
    try await world.call(PublishLocations(locations: [.sample(at: world.now)]), as: 0)
    func seen() async throws -> Coordinate? {
      try await world.result(of: FetchFriendLocations(), as: 1).first?.coordinate
    }
    #expect(try await seen() == .lisbon)
    try await world.turn()
    _ = await world.frames(for: 1)
    let call = FunctionCall(WithdrawLocation(), clientID: UUID())
    try await world.call(call, as: 0)
    #expect(try await seen() == nil)
    #expect(try await world.stored(of: 0) == nil)
    try await world.turn()
    #expect(await world.frames(for: 1).map { $0.contains("DELETE") } == [true])
    // What is shared with whom stays.
    let sharing = try await world.result(of: FetchLocationSharing(), as: 0)
    #expect(sharing.first?.mode == .precise)
    // A repeat of the same call deletes nothing that came after it.
    world.wait(seconds: 1)
    try await world.call(
      PublishLocations(locations: [.sample(.porto, at: world.now)]), as: 0)
    try await world.call(call, as: 0)
    #expect(try await seen() == .porto)
    #expect(try await world.refusal(of: WithdrawLocation(), as: 1) == nil)
  }
}
