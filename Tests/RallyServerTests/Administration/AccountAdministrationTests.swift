import Foundation
import GRDB
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

@Suite struct AccountAdministrationTests {
  private func signIn(
    _ name: String, _ password: String = Person.password, on server: TestServer
  ) async throws -> RawClient.Reply {
    try await RawClient(server).send(
      .POST, "/auth/v1/token?grant_type=password",
      ["email": .string("\(name)@example.org"), "password": .string(password)],
      headers: [AuthFailure.versionHeader: AuthFailure.version])
  }

  @Test func `accounts are listed by name, and found by name, address or id`() async throws {
    let folder = ServedFolder()
    try await folder.serve { server in
      let bob = try await Person.signUp("bob", on: server)
      _ = try await Person.signUp("ana", on: server)
      try await folder.administer { administration in
        let all = try await administration.accounts()
        #expect(all.map(\.username) == ["ana", "bob"])
        #expect(all.map(\.sessions) == [1, 1])
        #expect(try await administration.accounts(matching: "BO").map(\.username) == ["bob"])
        for name in ["bob", "@bob", "Bob@example.org", bob.wireID, bob.id.uuidString] {
          #expect(try await administration.account(name).id == bob.id)
        }
        await #expect(throws: AccountAdministration.Failure.unknown("zoe")) {
          try await administration.account("zoe")
        }
      }
    }
  }

  @Test func `who is disabled cannot sign in, call or listen, until enabled`() async throws {
    let folder = ServedFolder()
    try await folder.serve { server in
      let (ana, bob) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("bob", on: server)
      )
      try await ana.befriend(bob)
      try await ana.share(.precise)
      try await ana.publish(.sample())
      let code = try await ana.result(of: CreateInvitation(missionID: nil)).code
      #expect(try await bob.location(of: ana) != nil)
      let probe = try await RealtimeProbe.connect(server)
      try await probe.listen(token: ana.session.accessToken)

      let account = try await folder.administer { try await $0.disable("ana") }
      #expect(account.isDisabled)
      try await probe.wait("the end") { $0.isClosed }
      let refused = try await signIn("ana", on: server)
      #expect(refused.status == 400)
      #expect(refused.json["code"] == "user_banned")
      let user = try await ana.client.send(.GET, "/auth/v1/user")
      #expect(user.status == 403)
      #expect(user.json["error_code"] == "user_banned")
      #expect(try await ana.client.call(FetchFriends()).status == 403)
      #expect(try await bob.location(of: ana) == nil)
      #expect(try await bob.refusal(of: FetchInvitation(code: code)) == "not_found")
      #expect(try await bob.result(of: FetchFriends()).map(\.username) == ["ana"])
      // A second time changes nothing.
      #expect(try await folder.administer { try await $0.disable("ana") } == account)

      try await folder.administer { _ = try await $0.enable("ana") }
      #expect(try await signIn("ana", on: server).status == 200)
      #expect(try await ana.result(of: FetchFriends()).count == 1)
    }
  }

  @Test func `a new password ends every session, and the old one is no use`() async throws {
    let folder = ServedFolder()
    try await folder.serve { server in
      let ana = try await Person.signUp("ana", on: server)
      let probe = try await RealtimeProbe.connect(server)
      try await probe.listen(token: ana.session.accessToken)
      _ = try await ana.result(of: MakeCalendarAddress(secret: .sample()))
      let fresh = AccountAdministration.freshPassword()
      let account = try await folder.administer {
        try await $0.resetPassword(of: "ana", to: fresh)
      }
      #expect(account.sessions == 0)
      try await probe.wait("the end") { $0.isClosed }
      #expect(try await ana.client.send(.GET, "/auth/v1/user").status == 403)
      #expect(try await signIn("ana", on: server).status == 400)
      let entered = try await signIn("ana", fresh, on: server)
      #expect(entered.status == 200)
      let again = RawClient(
        server, token: try entered.decoded(AuthSession.self).accessToken)
      #expect(try await again.result(of: FetchCalendarAddress()).isEmpty)
      await #expect(throws: FieldProblem.self) {
        try await folder.administer { try await $0.resetPassword(of: "ana", to: "short") }
      }
    }
  }

  @Test func `fresh passwords have twenty letters and differ`() {
    let many = Set((0..<200).map { _ in AccountAdministration.freshPassword() })
    #expect(many.count == 200)
    #expect(many.allSatisfy { $0.count == 23 && $0.split(separator: "-").count == 4 })
  }

  @Test func `who is deleted is gone for friends at once, and the name is free`() async throws {
    let folder = ServedFolder()
    try await folder.serve { server in
      let (ana, bob) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("bob", on: server)
      )
      try await ana.befriend(bob)
      let probe = try await RealtimeProbe.connect(server)
      try await probe.listen(token: bob.session.accessToken)
      try await folder.administer { _ = try await $0.delete("@ana") }
      let event = try await probe.next(.postgresChanges)
      #expect(event["payload"]?["data"]?["type"] == "DELETE")
      #expect(try await bob.result(of: FetchFriends()).isEmpty)
      #expect(try await signIn("ana", on: server).status == 400)
      for (method, path, body) in [
        (.GET, "/user", nil), (.PUT, "/user", ["data": [:]]), (.PUT, "/user", ["password": "x"]),
        (.POST, "/logout", nil),
      ] as [(HTTPMethod, String, JSONValue?)] {
        let gone = try await ana.client.send(
          method, "/auth/v1\(path)", body,
          headers: [AuthFailure.versionHeader: AuthFailure.version])
        #expect(gone.status == 403)
        #expect(gone.json["code"] == "user_not_found")
      }
      let again = try await Person.signUp("ana", on: server)
      #expect(again.id != ana.id)
    }
  }

  @Test func `it works without a server, and never on a missing or a newer database`() async throws
  {
    let folder = ServedFolder()
    await #expect(throws: ExistingDatabase.Failure.missing(folder.path + "/rally.db")) {
      _ = try await AccountAdministration(.folder(folder.path))
    }
    try await folder.serve { _ = try await Person.signUp("ana", on: $0) }
    try await folder.administer { _ = try await $0.disable("ana") }
    try await folder.serve { server in
      let refused = try await signIn("ana", on: server)
      #expect(refused.json["code"] == "user_banned")
    }
    let queue = try ExistingDatabase.queue(folder.path + "/rally.db")
    try await queue.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('from the future')")
    }
    try queue.close()
    await #expect(throws: ExistingDatabase.Failure.newer(folder.path + "/rally.db")) {
      _ = try await AccountAdministration(.folder(folder.path))
    }
  }
}
