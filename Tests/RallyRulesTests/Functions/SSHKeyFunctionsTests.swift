import Foundation
import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

@Suite(.everyEngine) struct SSHKeyFunctionsTests {
  private func world() async throws -> ServerWorld {
    try await ServerWorld(members: 2, at: ServerWorld.noon)
  }

  private func call(
    _ name: String = "laptop", key: SSHPublicKey? = nil, id: UUID = UUID()
  ) throws -> AddSSHKey {
    AddSSHKey(keyID: id, name: name, key: try key ?? .sample())
  }

  @Test func `a key is listed to its owner and to nobody else, until it is removed`() async throws {
    let world = try await world()
    let key = try SSHPublicKey.sample()
    let made = try await world.result(of: call("  My\u{1B}[31m key ", key: key), as: 0)
    #expect(made.type == "ssh-ed25519" && made.fingerprint.hasPrefix("SHA256:"))
    #expect(made.fingerprint.utf8.count == 50)
    #expect(!made.name.contains("\u{1B}") && made.name.hasPrefix("My"))
    #expect(made.createdAt == world.now && made.lastUsedAt == nil)
    #expect(try await world.result(of: FetchSSHKeys(), as: 0) == [made])
    #expect(try await world.result(of: FetchSSHKeys(), as: 1).isEmpty)
    #expect(try await world.refusal(of: RemoveSSHKey(keyID: made.id), as: 1) == "not_found")
    #expect(try await world.refusal(of: RemoveSSHKey(keyID: made.id), as: 0) == nil)
    #expect(try await world.result(of: FetchSSHKeys(), as: 0).isEmpty)
    #expect(try await world.refusal(of: RemoveSSHKey(keyID: made.id), as: 0) == "not_found")
  }

  @Test func `a key of somebody's is added as one of nobody's is`() async throws {
    let world = try await world()
    let key = try SSHPublicKey.sample()
    let made = try await world.result(of: call(key: key), as: 0)
    // Its owner came in with it.
    try await world.storage.write { try SSHKeyRecords.wasUsed(made.id, at: world.now, in: $0) }
    let copy = try await world.result(of: call(key: key), as: 1)
    #expect(copy.lastUsedAt == nil && copy.fingerprint == made.fingerprint)
    #expect(try await world.result(of: FetchSSHKeys(), as: 1) == [copy])
    let counted = try await world.storage.read {
      try SSHKeyRecords.all(fingerprint: made.fingerprint, in: $0)
    }
    #expect(counted.map(\.id) == [made.id])
  }

  @Test func `a key is there once, and ids and names are kept apart`() async throws {
    let world = try await world()
    let (key, id) = (try SSHPublicKey.sample(), UUID())
    let made = try await world.result(of: call(key: key, id: id), as: 0)
    #expect(try await world.result(of: call(key: key, id: id), as: 0) == made)
    #expect(try await world.refusal(of: call("other", key: key), as: 0) == "invalid_argument")
    #expect(try await world.refusal(of: call(id: id), as: 1) == "invalid_argument")
    // The name is the owner's own.
    #expect(try await world.refusal(of: call(), as: 0) == "invalid_argument")
    #expect(try await world.refusal(of: call(), as: 1) == nil)
  }

  @Test func `what is no key and no name is refused`() async throws {
    let world = try await world()
    var wrong = try call()
    wrong.key = "command=\"id\" " + wrong.key
    #expect(try await world.refusal(of: wrong, as: 0) == "invalid_argument")
    for name in ["", "  ", String(repeating: "a", count: 41)] {
      #expect(try await world.refusal(of: call(name), as: 0) == "invalid_argument")
    }
  }

  @Test func `a person has twenty keys at most`() async throws {
    let world = try await world()
    for number in 1...20 { _ = try await world.result(of: call("\(number)"), as: 0) }
    #expect(try await world.call(call(), as: 0).contains("budget=ssh-keys-per-person"))
    #expect(try await world.refusal(of: call(), as: 1) == nil)
  }

  @Test func `keys end with their account, and with a new password`() async throws {
    let world = try await world()
    _ = try await world.result(of: call(), as: 0)
    _ = try await world.result(of: call(), as: 1)
    let (ana, ben, time) = (world.members[0].caller.userID, world.members[1], world.now)
    try await world.storage.write { database in
      try AccountDeletion.delete(ana, at: time, in: database)
      guard let user = try UserRecords.find(id: ben.caller.userID, in: database) else { return }
      try AccountStatus.setPassword("", of: user, at: time, in: database)
    }
    let left = try await world.storage.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM ssh_keys")
    }
    #expect(left == 0)
  }
}
