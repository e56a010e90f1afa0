import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Synchronization
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// The SSH door against a server in process.
@Suite struct SSHDoorRoutesTests {
  private struct Door {
    let server: TestServer
    let client: RawClient
    let ana: Person
    let folder: ServedFolder

    func ticket(_ key: SSHPublicKey) async throws -> RawClient.Reply {
      try await client.send(.POST, SSHDoorPath.ticket, ["key": .string(key.line)])
    }

    /// - Parameter username: Says whose the key is.
    func session(_ ticket: String, as username: String? = nil) async throws -> RawClient.Reply {
      var body: JSONValue = ["ticket": .string(ticket)]
      if let username { body = ["ticket": .string(ticket), "username": .string(username)] }
      return try await client.send(.POST, SSHDoorPath.session, body)
    }

    /// Comes in with a key for the first time.
    func claim(_ key: SSHPublicKey, as username: String) async throws -> RawClient.Reply {
      let ticket = try await ticket(key).decoded(SSHTicket.self).ticket
      let answer = try await session(ticket).decoded(SSHAdmission.self)
      guard case .unclaimed(let open) = answer else { throw CancellationError() }
      return try await session(open.ticket, as: username)
    }
  }

  private func withDoor(_ body: (Door) async throws -> Void) async throws {
    let folder = ServedFolder()
    try await folder.serve { server in
      let credentials = try SSHDoorCredentials(folder: folder.path)
      #expect(credentials.apiKey == server.key)
      let ana = try await Person.signUp("ana", on: server)
      try await body(
        Door(
          server: server, client: RawClient(server, token: credentials.token), ana: ana,
          folder: folder))
    }
  }

  private func add(_ key: SSHPublicKey, to person: Person) async throws -> SSHKeyRecord {
    try await person.result(of: AddSSHKey(keyID: UUID(), name: "laptop", key: key))
  }

  @Test func `a key opens a session of its account, and asking for it writes nothing`()
    async throws
  {
    try await withDoor { door in
      let key = try SSHPublicKey.sample()
      let added = try await add(key, to: door.ana)
      let reply = try await door.ticket(key)
      #expect(reply.status == 200)
      #expect(try await door.ana.result(of: FetchSSHKeys()) == [added])
      let ticket = try #require(reply.json["ticket"]?.string)
      #expect(SSHTicket(ticket: ticket).isPlain)

      let admission = try await door.session(ticket, as: "@Ana").decoded(SSHAdmission.self)
      guard case .account(let session) = admission
      else { return #expect(Bool(false), "not an account") }
      #expect(session.user.id == door.ana.id)
      #expect(try await door.ana.result(of: FetchSSHKeys()).first?.lastUsedAt != nil)
      // It is no sign-in with a password: a new one needs the present one.
      var guest = door.client
      guest.token = session.accessToken
      let change = try await guest.send(.PUT, "/auth/v1/user", ["password": "another horse"])
      #expect(change.json["error_code"] == "reauthentication_needed")
      #expect(try await guest.send(.POST, "/auth/v1/logout?scope=local").status == 204)
    }
  }

  @Test func `a key counts for the account that first came in with it`() async throws {
    try await withDoor { door in
      let key = try SSHPublicKey.sample()
      let mal = try await Person.signUp("mal", on: door.server)
      // Mallory has the public half, and so has everybody.
      _ = try await add(key, to: mal)
      #expect(try await door.claim(key, as: "ana").status == 400)
      _ = try await add(key, to: door.ana)
      #expect(try await door.claim(key, as: "nobody").status == 400)
      let own = try await door.claim(key, as: "ana").decoded(SSHAdmission.self)
      guard case .account(let session) = own else { return #expect(Bool(false), "not in") }
      #expect(session.user.id == door.ana.id)
      // From now on it is nobody else's, and nobody is asked.
      let ticket = try await door.ticket(key).decoded(SSHTicket.self).ticket
      guard case .account(let next) = try await door.session(ticket).decoded(SSHAdmission.self)
      else { return #expect(Bool(false), "asked again") }
      #expect(next.user.id == door.ana.id)
      #expect(try await mal.result(of: FetchSSHKeys()).first?.lastUsedAt == nil)
    }
  }

  @Test func `whoever makes an account with an unclaimed key has it at once`() async throws {
    try await withDoor { door in
      let key = try SSHPublicKey.sample()
      let mal = try await Person.signUp("mal", on: door.server)
      _ = try await add(key, to: mal)
      let question: JSONValue = ["key": .string(key.line), "newcomers": true]
      let asked = try await door.client.send(.POST, SSHDoorPath.ticket, question)
      let ticket = try asked.decoded(SSHTicket.self).ticket
      let answer = try await door.session(ticket, as: "").decoded(SSHAdmission.self)
      guard case .newcomer(key.line, let proof) = answer else {
        return #expect(Bool(false), "\(answer)")
      }
      let added = try await door.ana.result(
        of: AddSSHKey(keyID: UUID(), name: "laptop", key: key, proof: proof))
      #expect(added.lastUsedAt != nil)
      // The proof is of this key alone.
      let other = try await door.ana.result(
        of: AddSSHKey(keyID: UUID(), name: "other", key: .sample(), proof: proof))
      #expect(other.lastUsedAt == nil)
      guard
        case .account(let session) = try await door.session(
          door.ticket(key).decoded(SSHTicket.self).ticket
        ).decoded(SSHAdmission.self)
      else { return #expect(Bool(false), "not in") }
      #expect(session.user.id == door.ana.id)
    }
  }

  @Test func `an unknown key has no ticket, and neither has one of a disabled account`()
    async throws
  {
    try await withDoor { door in
      let key = try SSHPublicKey.sample()
      #expect(try await door.ticket(key).status == 204)
      _ = try await add(key, to: door.ana)
      let early = try #require(try await door.ticket(key).json["ticket"]?.string)
      try await door.folder.administer { _ = try await $0.disable("ana") }
      #expect(try await door.ticket(key).status == 204)
      #expect(try await door.session(early).status == 403)
      try await door.folder.administer { _ = try await $0.enable("ana") }
      #expect(try await door.ticket(key).status == 200)
    }
  }

  @Test func `a door that takes newcomers tells them their key, until somebody has it`()
    async throws
  {
    try await withDoor { door in
      let key = try SSHPublicKey.sample()
      let question: JSONValue = ["key": .string(key.line), "newcomers": true]
      let ticket = try await door.client.send(.POST, SSHDoorPath.ticket, question)
        .decoded(SSHTicket.self)
      let admission = try await door.session(ticket.ticket).decoded(SSHAdmission.self)
      guard case .newcomer(key.line, _) = admission else {
        return #expect(Bool(false), "\(admission)")
      }
      // It is no session of anybody.
      var other = door.client
      other.token = ticket.ticket
      #expect(try await other.call(FetchSSHKeys()).status == 401)
      _ = try await add(key, to: door.ana)
      #expect(try await door.claim(key, as: "ana").status == 200)
      #expect(try await door.session(ticket.ticket).status == 403)
      // A key of a disabled account is known.
      try await door.folder.administer { _ = try await $0.disable("ana") }
      #expect(try await door.client.send(.POST, SSHDoorPath.ticket, question).status == 204)
    }
  }

  @Test func `a closed server takes no newcomers`() async throws {
    let door = SSHDoor(
      storage: try Storage(path: nil),
      issuer: SessionIssuer(
        signer: TokenSigner(keys: KeyRing(try ServerKeys())), lifetime: .seconds(60)),
      policy: .closed)
    let question = SSHTicketQuestion(key: try .sample(), takesNewcomers: true)
    #expect(try await door.ticket(for: question) == nil)
  }

  @Test func `a ticket ends with its key`() async throws {
    try await withDoor { door in
      let key = try SSHPublicKey.sample()
      let added = try await add(key, to: door.ana)
      let ticket = try #require(try await door.ticket(key).json["ticket"]?.string)
      _ = try await door.ana.result(of: RemoveSSHKey(keyID: added.id))
      #expect(try await door.session(ticket).status == 403)
    }
  }

  @Test func `a ticket ends after half a minute`() async throws {
    let storage = try Storage(path: nil)
    let keys = KeyRing(try ServerKeys())
    let time = Mutex(WireTime.now)
    let door = SSHDoor(
      storage: storage,
      issuer: SessionIssuer(signer: TokenSigner(keys: keys), lifetime: .seconds(60)),
      now: { time.withLock { $0 } })
    let key = try SSHPublicKey.sample()
    let user = UserRecord(
      id: UUID(), identityID: UUID(), email: "ana@example.org", password: "", metadata: [:],
      createdAt: .now, updatedAt: .now, lastSignInAt: .now)
    try await storage.write { database in
      try UserRecords.insert(user, in: database)
      try ProfileRecords.insert(
        ProfileRecord(
          id: user.id, username: "ana", displayName: "Ana", bio: "", version: 1, createdAt: .now),
        in: database)
      _ = try SSHKeyFunctions(budgets: BudgetKeeper(.withoutRates)).addKey(
        AddSSHKey(keyID: UUID(), name: "laptop", key: key),
        caller: Caller(id: user.id, session: UUID()), in: database)
    }
    let ticket = try #require(try await door.ticket(for: SSHTicketQuestion(key: key)))
    time.withLock { $0 = $0.advanced(by: .seconds(29)) }
    let open = SSHTicket(ticket: ticket.ticket, username: "ana")
    _ = try await door.admission(for: open, issuer: "test")
    time.withLock { $0 = $0.advanced(by: .seconds(2)) }
    await #expect(throws: AuthRefusal.self) {
      try await door.admission(for: ticket, issuer: "test")
    }
    // What breaks off without signing out does not pile up.
    let last = try #require(try await door.ticket(for: SSHTicketQuestion(key: key)))
    for _ in 0..<70 { _ = try await door.admission(for: last, issuer: "test") }
    let sessions = try await storage.read {
      try SessionRecords.ids(ofUser: user.id.wireText, in: $0)
    }
    #expect(sessions.count == 64)
  }

  @Test func `only the door is answered, and not with tokens of another kind`() async throws {
    try await withDoor { door in
      let key = try SSHPublicKey.sample()
      _ = try await add(key, to: door.ana)
      let ticket = try #require(try await door.ticket(key).json["ticket"]?.string)
      var other = door.client
      for token in [nil, door.ana.client.token, ticket] {
        other.token = token
        for path in [SSHDoorPath.ticket, SSHDoorPath.session] {
          let body: JSONValue = ["key": .string(key.line), "ticket": .string(ticket)]
          let status = try await other.send(.POST, path, body).status
          #expect(status == 401 || status == 403, "\(path)")
        }
      }
      // The door's token and a ticket are nobody's session.
      let doorToken = try #require(door.client.token)
      for token in [doorToken, ticket] {
        other.token = token
        #expect(try await other.call(FetchSSHKeys()).status == 401)
        #expect(try await door.session(doorToken).status == 403)
      }
    }
  }

  @Test func `a new signing secret ends the door's token`() async throws {
    try await withDoor { door in
      #expect(try await door.ticket(.sample()).status == 204)
      try DataFolder(path: door.folder.path).rotateSecret()
      let keys = KeyRing(try DataFolder(path: door.folder.path).keys())
      let token = try #require(door.client.token)
      #expect(throws: TokenProblem.badSignature) {
        try TokenSigner(keys: keys).verify(token)
      }
    }
  }
}
