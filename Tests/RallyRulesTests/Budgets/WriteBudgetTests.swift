import Foundation
import NIOHTTP1
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// How often people may change something, as a client meets it.
@Suite struct WriteBudgetTests {
  private func mission(_ title: String, id: UUID? = nil) -> FunctionCall<CreateMission> {
    FunctionCall(
      CreateMission(
        title: title, centre: .lisbon, radiusMetres: 100), clientID: id)
  }

  @Test(.everyEngine, .acrossNodes)
  func `too many writes of a kind are refused with when to come again`()
    async throws
  {
    try await TestServer.with(configure: {
      $0.budgets[.missionsPerMinute] = 6
      $0.budgets[.messagesPerMinute] = 6
    }) { server in
      let (ana, ben) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("ben", on: server)
      )
      // An account of today has a third.
      let made = try await ana.result(of: mission("One"))
      #expect(try await ana.client.call(mission("Two")).status == 200)
      let refused = try await ana.client.call(mission("Three"))
      #expect(refused.status == 429)
      #expect(refused.json["code"] == "PT429")
      let wait = refused.headers.first(name: "Retry-After").flatMap(Int.init)
      #expect((1...30).contains(wait ?? 0))
      // Another kind, and another person, have their own.
      #expect(
        try await ana.client.call(SayInMission(missionID: made.id, text: "Hello")).status == 200)
      #expect(try await ben.client.call(mission("Four")).status == 200)
      #expect(try await ana.result(of: FetchMissions(scope: .active)).count == 2)
    }
  }

  @Test(.everyEngine, .acrossNodes)
  func `a repeat takes nothing out of a budget, also out of an empty one`()
    async throws
  {
    try await TestServer.with(configure: { $0.budgets[.missionsPerMinute] = 3 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let call = mission("One", id: UUID())
      let first = try await ana.result(of: call)
      for _ in 0..<3 { #expect(try await ana.result(of: call).id == first.id) }
      #expect(try await ana.client.call(mission("Two")).status == 429)
    }
  }

  @Test(.everyEngine) func `a transaction that is tried again takes nothing more`() async throws {
    let world = try await ServerWorld(members: 1, at: .now, tables: [])
    let (ana, storage) = (world.members[0].caller, world.storage)
    let limiter = RateLimiter(budgets: BudgetKeeper(Budgets([.missionsPerMinute: 3])))
    func charge() -> WriteCharge {
      WriteCharge(function: CreateMission.name, limiter: limiter) { .now }
    }
    let first = charge()
    for _ in 0..<3 { try await storage.write { try first.take(for: ana, in: $0) } }
    let second = charge()
    await #expect(throws: RateRefusal.self) {
      try await storage.write { try second.take(for: ana, in: $0) }
    }
  }

  @Test func `every function that changes something has a rate`() throws {
    let table = FunctionTable(presence: PresentUsers(), moves: try .immediate())
    for name in table.names where table[name]?.isReadOnly == false {
      #expect(
        (Budget.writes(of: name) != nil) != (RateLimiter.Kind(name: name) != nil), "\(name)")
    }
  }

  @Test(.everyEngine) func `an account has more of its budget as it grows older`() async throws {
    let storage = try await Storage.forTest()
    let id = UUID()
    let born = WireTime(microseconds: 1_000_000_000_000)
    try await storage.write { database in
      try UserRecords.insert(
        UserRecord(
          id: id, identityID: UUID(), email: "a@example.org", password: "", metadata: [:],
          createdAt: born, updatedAt: born, lastSignInAt: born), in: database)
    }
    for (hours, age) in [
      (0, .firstDay), (23, .firstDay), (25, .firstDays), (71, .firstDays), (73, .older),
    ] as [(Int, AccountAge)] {
      let found = try await storage.read {
        try AccountAge(
          of: id.wireText, at: born.advanced(by: .seconds(hours * 3600)), in: $0)
      }
      #expect(found == age)
    }
    try storage.close()
  }
}
