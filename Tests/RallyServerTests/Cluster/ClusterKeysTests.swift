import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// Keys that servers on one database share through it.
@Suite struct ClusterKeysTests {
  private func status(_ token: String, on server: TestServer) async throws -> Int {
    try await RawClient(server, token: token).send(.GET, "/auth/v1/user").status
  }

  private func refreshed(_ session: AuthSession, on server: TestServer) async throws -> AuthSession
  {
    try await RawClient(server).send(
      .POST, "/auth/v1/token?grant_type=refresh_token",
      ["refresh_token": .string(session.refreshToken)]
    ).decoded(AuthSession.self)
  }

  private func key(of token: String) -> Substring? { token.split(separator: ".").first }

  @Test func `a token of one is good on the other, before and after a rotation`() async throws {
    try await ServerPair.with { pair in
      let ana = try await Person.signUp("ana", on: pair.one)
      let old = ana.session.accessToken
      #expect(try await status(old, on: pair.other) == 200)
      let storage = Storage(try await PostgresEngine(pair.address, migrates: false))
      defer { try? storage.close() }
      try await KeyVault(storage: storage, path: pair.encryptionKey)
        .rotate(activation: .seconds(3))
      // Nobody was told by hand. Whatever each of them signs meanwhile is good on both.
      var session = ana.session
      try await eventually("both sign with the new secret") {
        var isNew = true
        for server in [pair.one, pair.other] {
          session = try await refreshed(session, on: server)
          for other in [pair.one, pair.other] {
            #expect(try await status(session.accessToken, on: other) == 200)
          }
          isNew = isNew && key(of: session.accessToken) != key(of: old)
        }
        return isNew
      }
      for server in [pair.one, pair.other] { #expect(try await status(old, on: server) == 200) }
      #expect(pair.one.key == pair.other.key)
    }
  }

  @Test func `a server that was away for a rotation takes the keys when it is back`()
    async throws
  {
    try await ServerPair.with { pair in
      let ana = try await Person.signUp("ana", on: pair.one)
      try pair.cutOff()
      let storage = Storage(try await PostgresEngine(pair.address, migrates: false))
      defer { try? storage.close() }
      try await KeyVault(storage: storage, path: pair.encryptionKey).rotate(activation: .zero)
      var session = ana.session
      try await eventually("the first one signs with the new secret") {
        session = try await refreshed(session, on: pair.one)
        return key(of: session.accessToken) != key(of: ana.session.accessToken)
      }
      try pair.rejoin()
      try await eventually("the other one knows it") {
        try await status(session.accessToken, on: pair.other) == 200
      }
    }
  }

  @Test func `the ticket of a door is good on every server`() async throws {
    try await ServerPair.with { pair in
      let ana = try await Person.signUp("ana", on: pair.one)
      let key = try SSHPublicKey.sample()
      _ = try await ana.result(of: AddSSHKey(keyID: UUID(), name: "laptop", key: key))
      let credentials = try await SSHDoorCredentials(
        database: pair.address, encryptionKey: pair.encryptionKey)
      let asked = try await RawClient(pair.one, token: credentials.token)
        .send(.POST, "/\(SSHDoorPath.ticket)", ["key": .string(key.line)])
      let ticket = try asked.decoded(SSHTicket.self)
      let begun = try await RawClient(pair.other, token: credentials.token)
        .send(
          .POST, "/\(SSHDoorPath.session)", ["ticket": .string(ticket.ticket), "username": "ana"])
      #expect(begun.status == 200)
    }
  }

  // MARK: - The file

  private static func withVault(
    _ body: (_ address: PostgresAddress, _ folder: TemporaryFolder) async throws -> Void
  ) async throws {
    try await body(try PostgresFixture.shared.get().database(), try TemporaryFolder())
  }

  private func start(
    _ address: PostgresAddress, _ folder: TemporaryFolder, key: String = "key"
  ) async throws -> TestServer {
    try await TestServer.start {
      $0.database = .postgres(address, folder: folder.file("server"))
      $0.encryptionKey = folder.file(key)
    }
  }

  @Test func `the keys of a folder are taken over, and stand in the database encrypted`()
    async throws
  {
    try await Self.withVault { address, folder in
      let existing = try DataFolder(path: folder.file("server")).keys()
      let server = try await start(address, folder)
      #expect(server.key == existing.apiKey)
      #expect(folder.permissions(of: "key") == 0o600)
      try await server.stop()
      let storage = Storage(try await PostgresEngine(address, migrates: false))
      let rows = try await storage.read { try Row.fetchAll($0, sql: "SELECT * FROM server_keys") }
      try storage.close()
      #expect(rows.count == 1)
      let text = "\(rows)"
      for secret in [existing.apiKey, Base64URL.encode(existing.secret.bytes)] {
        #expect(!text.contains(secret))
      }
    }
  }

  @Test func `another key, a lost one and one that others may read are refused`() async throws {
    try await Self.withVault { address, folder in
      let key = try await start(address, folder)
      let apiKey = key.key
      try await key.stop()
      await #expect(throws: KeyVaultFailure.missing(folder.file("other"))) {
        _ = try await start(address, folder, key: "other")
      }
      #expect(!folder.contents.contains("other"))
      _ = try EncryptionKey.make(folder.file("wrong"))
      await #expect(throws: KeyVaultFailure.wrong(folder.file("wrong"))) {
        _ = try await start(address, folder, key: "wrong")
      }
      chmod(folder.file("key"), 0o640)
      await #expect(throws: KeyVaultFailure.notPrivate(folder.file("key"))) {
        _ = try await start(address, folder)
      }
      chmod(folder.file("key"), 0o600)
      let again = try await start(address, folder)
      #expect(again.key == apiKey)
      try await again.stop()
    }
  }

  @Test func `a new secret verifies at once and signs later`() throws {
    let start = WireTime(microseconds: 1_700_000_000_000_000)
    let keys = try ServerKeys()
    let rotated = keys.rotated(at: start, signingFrom: start.advanced(by: .seconds(10)))
    #expect(rotated.signing(at: start) == keys.secret)
    #expect(rotated.all.contains(rotated.secret))
    #expect(rotated.signing(at: start.advanced(by: .seconds(10))) == rotated.secret)
    let read = try WireJSON.decode(ServerKeys.self, from: WireJSON.encode(rotated))
    #expect(read.signing(at: start) == keys.secret)
  }
}
