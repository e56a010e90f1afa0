import Foundation
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

@Suite(.everyEngine) struct PhoneFunctionsTests {
  private func world(_ count: Int = 2) async throws -> ServerWorld {
    try await ServerWorld(members: count, at: ServerWorld.noon)
  }

  private func call(
    _ name: String = "Pixel", id: UUID = UUID(), secret: AccessSecret = .sample()
  ) -> AddPhone {
    AddPhone(phoneID: id, app: .overland, name: name, secret: secret)
  }

  @Test func `a phone is listed to its owner and to nobody else`() async throws {
    let world = try await world()
    let id = UUID()
    let made = try await world.result(of: call("  My\u{1B}[31m phone ", id: id), as: 0)
    #expect(made.id == id)
    #expect(made.app == .overland)
    #expect(!made.name.contains("\u{1B}") && made.name.hasPrefix("My"))
    #expect(made.createdAt == world.now)
    #expect(made.lastPostAt == nil && made.lastFixAt == nil && made.problem == nil)
    #expect(try await world.result(of: FetchPhones(), as: 0) == [made])
    #expect(try await world.result(of: FetchPhones(), as: 1).isEmpty)
    #expect(try await world.refusal(of: RevokePhone(phoneID: id), as: 1) == "not_found")
    #expect(try await world.refusal(of: RevokePhone(phoneID: id), as: 0) == nil)
    #expect(try await world.result(of: FetchPhones(), as: 0).isEmpty)
    #expect(try await world.refusal(of: RevokePhone(phoneID: id), as: 0) == "not_found")
  }

  @Test func `the credential is stored nowhere`() async throws {
    let world = try await world()
    let secret = AccessSecret.sample()
    let add = FunctionCall(call(secret: secret), clientID: UUID())
    let answer = try await world.call(add, as: 0)
    #expect(try await world.call(add, as: 0) == answer)
    let stored = try await world.storage.read { database in
      try database.tables().flatMap { table in
        try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map(\.description)
      }.joined(separator: "\n")
    }
    #expect(stored.contains(add.function.phoneID.wireText))
    #expect(!(stored + answer).contains(secret.value))
    // A digest of all arguments would be one of the credential.
    #expect(stored.contains("args_hash:\"\""))
  }

  @Test func `what is no credential, no name and no new id is refused`() async throws {
    let world = try await world()
    var wrong = call()
    wrong.secret = String(repeating: "a", count: 31) + "!"
    let answer = try await world.call(wrong, as: 0)
    #expect(answer.contains("invalid_argument") && !answer.contains("aaa"))
    for name in ["", "  ", String(repeating: "a", count: 41)] {
      #expect(try await world.refusal(of: call(name), as: 0) == "invalid_argument")
    }
    let (id, secret) = (UUID(), AccessSecret.sample())
    let made = try await world.result(of: call(id: id, secret: secret), as: 0)
    #expect(try await world.result(of: call(id: id, secret: secret), as: 0) == made)
    #expect(try await world.refusal(of: call(id: id), as: 0) == "invalid_argument")
    #expect(try await world.refusal(of: call(id: id, secret: secret), as: 1) == "invalid_argument")
    #expect(try await world.refusal(of: call(secret: secret), as: 1) == "invalid_argument")
  }

  @Test func `a person has twenty phones at most`() async throws {
    let world = try await world()
    for number in 1...20 { _ = try await world.result(of: call("\(number)"), as: 0) }
    let refused = try await world.call(call(), as: 0)
    #expect(refused.contains("budget=phones-per-person"))
    #expect(try await world.refusal(of: call(), as: 1) == nil)
    #expect(try await world.result(of: FetchPhones(), as: 0).map(\.name).sorted().count == 20)
  }

  @Test func `a phone ends with its account, and with a new password`() async throws {
    let world = try await world()
    let (first, second) = (try await world.addPhone(of: 0), try await world.addPhone(of: 1))
    try await world.post(PhonePost(), with: first)
    try await world.post(PhonePost(), with: second)
    let (ana, ben, time) = (world.members[0].caller.userID, world.members[1], world.now)
    try await world.storage.write { database in
      try AccountDeletion.delete(ana, at: time, in: database)
      guard let user = try UserRecords.find(id: ben.caller.userID, in: database) else { return }
      try AccountStatus.setPassword("", of: user, at: time, in: database)
    }
    for secret in [first, second] {
      await #expect(throws: PhoneInbox.Unknown.self) {
        try await world.post(PhonePost(), with: secret)
      }
    }
    let left = try await world.storage.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM phones")
    }
    #expect(left == 0)
  }

  @Test func `a disabled account's phone is unknown until it is enabled`() async throws {
    let world = try await world()
    let secret = try await world.addPhone(of: 0)
    let (id, time) = (world.members[0].caller.userID, world.now)
    func change(
      _ body: @escaping @Sendable (UserRecord, WireTime, Database) throws -> Void
    ) async throws {
      try await world.storage.write { database in
        guard let user = try UserRecords.find(id: id, in: database) else { return }
        try body(user, time, database)
      }
    }
    try await change { try AccountStatus.disable($0, at: $1, in: $2) }
    await #expect(throws: PhoneInbox.Unknown.self) {
      try await world.post(PhonePost(), with: secret)
    }
    try await change { try AccountStatus.enable($0, at: $1, in: $2) }
    try await world.post(PhonePost(), with: secret)
  }
}
