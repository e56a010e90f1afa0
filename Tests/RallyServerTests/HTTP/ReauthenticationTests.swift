import Foundation
import GRDB
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// What a token alone is not enough for.
@Suite struct ReauthenticationTests {
  /// Moves the sign-in of every session into the past.
  private func age(_ folder: ServedFolder, bySeconds seconds: Int) async throws {
    let queue = try DatabaseQueue(path: folder.path + "/rally.db")
    try await queue.write {
      try $0.execute(
        sql: "UPDATE sessions SET authenticated_at = authenticated_at - ?",
        arguments: [seconds * 1_000_000])
    }
    try queue.close()
  }

  private func change(_ client: RawClient, _ body: JSONValue) async throws -> RawClient.Reply {
    try await client.send(.PUT, "/auth/v1/user", body)
  }

  @Test func `an old sign-in needs the present password for a new one and for another e-mail`()
    async throws
  {
    let folder = ServedFolder()
    try await folder.serve { server in
      let ana = try await Person.signUp("ana", on: server)
      try await age(folder, bySeconds: 601)
      for body: JSONValue in [
        ["password": "another horse"], ["email": "new@example.org"],
        ["password": "another horse", "email": "new@example.org", "data": ["colour": "red"]],
      ] {
        let refused = try await change(ana.client, body)
        #expect(refused.status == 400)
        #expect(refused.json["error_code"] == "reauthentication_needed")
      }
      let wrong = try await change(
        ana.client, ["email": "new@example.org", "current_password": "a guess"])
      #expect(wrong.json["error_code"] == "invalid_credentials")
      let user = try await ana.client.send(.GET, "/auth/v1/user").json
      #expect(user["email"] == "ana@example.org")
      #expect(user["user_metadata"]?["colour"] == nil)

      // What takes the account from nobody goes on, and so does everything with the password.
      #expect(try await change(ana.client, ["data": ["colour": "blue"]]).status == 200)
      #expect(try await change(ana.client, ["email": "ana@example.org"]).status == 200)
      let right = try await change(
        ana.client,
        [
          "email": "new@example.org", "password": "another horse",
          "current_password": .string(Person.password),
        ])
      #expect(right.status == 200)
      #expect(right.json["email"] == "new@example.org")
    }
  }

  @Test func `a refreshed token is no sign-in, a password is`() async throws {
    let folder = ServedFolder()
    try await folder.serve { server in
      let ana = try await Person.signUp("ana", on: server)
      try await age(folder, bySeconds: 590)
      #expect(try await change(ana.client, ["email": "one@example.org"]).status == 200)
      try await age(folder, bySeconds: 20)
      let refreshed = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=refresh_token",
        ["refresh_token": .string(ana.session.refreshToken)]
      ).decoded(AuthSession.self)
      let later = RawClient(server, token: refreshed.accessToken)
      #expect(try await change(later, ["email": "two@example.org"]).status == 400)
      let signedIn = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=password",
        ["email": "one@example.org", "password": .string(Person.password)]
      ).decoded(AuthSession.self)
      let fresh = RawClient(server, token: signedIn.accessToken)
      #expect(try await change(fresh, ["email": "two@example.org"]).status == 200)
    }
  }
}
