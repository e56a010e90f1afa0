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

@Suite(.everyEngine, .acrossNodes) struct AccountsTests {
  private static let versioned = ["X-Supabase-Api-Version": "2024-01-01"]

  private func signUp(
    _ client: RawClient, email: String, password: String = Person.password,
    data: JSONValue = [:]
  ) async throws -> RawClient.Reply {
    try await client.send(
      .POST, "/auth/v1/signup",
      [
        "email": .string(email), "password": .string(password), "data": data,
        "gotrue_meta_security": ["captcha_token": nil], "code_challenge_method": "s256",
      ], headers: Self.versioned)
  }

  private func signIn(
    _ client: RawClient, _ email: String, _ password: String
  ) async throws -> RawClient.Reply {
    try await client.send(
      .POST, "/auth/v1/token?grant_type=password",
      ["email": .string(email), "password": .string(password)])
  }

  @Test func `the same letters in other bytes are one address and one password`() async throws {
    let (composed, apart) = ("ren\u{e9}e@example.org", "rene\u{301}e@example.org")
    let (secret, same) = ("caf\u{e9} am See", "cafe\u{301} am See")
    try await TestServer.with { server in
      let client = RawClient(server)
      let first = try await signUp(client, email: apart, password: same)
      #expect(first.status == 200)
      #expect(first.json["user"]?["email"]?.string?.utf8.count == composed.utf8.count)
      let again = try await signUp(client, email: composed, password: secret)
      #expect(again.json["user"]?["id"] == first.json["user"]?["id"])
      for email in [composed, apart] {
        for password in [secret, same] {
          #expect(try await signIn(client, email, password).status == 200)
        }
        #expect(try await signIn(client, email, "cafe am See").status == 400)
      }
    }
  }

  @Test(.oneNode("the row is written beside the server"))
  func `an account of decomposed letters from before is still entered`() async throws {
    let (email, secret) = ("rene\u{301}e@example.org", "cafe\u{301} am See")
    let hash = Sodium.passwordHash(secret, operations: 1, memory: 8192)
    let folder = ServedFolder()
    try await folder.serve { server in
      let client = RawClient(server)
      _ = try await signUp(client, email: "renee@example.org")
      let queue = try DatabaseQueue(path: folder.path + "/rally.db")
      try await queue.write {
        try $0.execute(
          sql: "UPDATE users SET email = ?, password = ?", arguments: [email, hash])
      }
      try queue.close()
      for email in [email, "ren\u{e9}e@example.org"] {
        #expect(try await signIn(client, email, secret).status == 200)
        #expect(try await signIn(client, email, "caf\u{e9} am See").status == 200)
      }
      let taken = try await signUp(client, email: "ren\u{e9}e@example.org")
      #expect(taken.status == 422)
    }
  }

  @Test(.oneNode("a token names the address where it was made"))
  func `a sign-up answers with a whole session`() async throws {
    try await TestServer.with { server in
      let reply = try await signUp(
        RawClient(server), email: "Ana@Example.org",
        data: ["username": "@Ana", "display_name": "Ana B."])
      #expect(reply.status == 200)
      let session = reply.json
      #expect(session["token_type"] == "bearer")
      #expect(session["expires_in"] == 3600)
      #expect(session["expires_at"]?.integer != nil)
      let user = try #require(session["user"])
      #expect(user["email"] == "ana@example.org")
      #expect(user["aud"] == "authenticated")
      #expect(user["user_metadata"]?["display_name"] == "Ana B.")
      #expect(user["created_at"]?.string?.hasSuffix("Z") == true)
      #expect(user["identities"]?.array?.first?["identity_data"]?["email"] == "ana@example.org")

      let token = try #require(session["access_token"]?.string)
      let payload = try #require(token.split(separator: ".").dropFirst().first)
      let padded = payload.replacing("-", with: "+").replacing("_", with: "/")
      let data = try #require(
        Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)))
      let claims = try WireJSON.decode(JSONValue.self, from: data)
      #expect(claims["aud"] == "authenticated")
      #expect(claims["role"] == "authenticated")
      #expect(claims["sub"] == user["id"])
      #expect(claims["iss"] == .string("\(server.url)/auth/v1"))
      #expect(claims["aal"] == "aal1")
      #expect(claims["email"] == "ana@example.org")
      #expect(claims["phone"] == "")
      #expect(claims["is_anonymous"] == false)
      #expect(claims["app_metadata"] == ["provider": "email", "providers": ["email"]])
      #expect(claims["session_id"]?.string.flatMap(UUID.init(uuidString:)) != nil)
      let (issued, end) = (
        try #require(claims["iat"]?.integer), try #require(claims["exp"]?.integer)
      )
      #expect(end - issued == 3600)
      #expect(session["expires_at"] == .integer(end))
      let method = try #require(claims["amr"]?.array?.first)
      #expect(claims["amr"]?.array?.count == 1)
      #expect(method["method"] == "password")
      let signedIn = try #require(method["timestamp"]?.integer)
      #expect(abs(issued - signedIn) <= 60)
      #expect(claims["jti"] == nil)
    }
  }

  @Test func `the profile has the wanted names`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let profile = try #require(
        try await ana.result(of: FetchProfiles(userIDs: [ana.id])).first)
      #expect(profile.username == "ana")
      #expect(profile.displayName == "Ana")
      #expect(profile.version == 1)
    }
  }

  @Test func `without a wish the username comes from the e-mail and is free`() async throws {
    try await TestServer.with { server in
      var names: [String] = []
      for domain in ["a.org", "b.org", "c.org"] {
        var client = RawClient(server)
        let reply = try await signUp(client, email: "j.o+x@\(domain)")
        let session = try reply.decoded(AuthSession.self)
        client.token = session.accessToken
        names += try await client.result(of: FetchProfiles(userIDs: [session.user.id]))
          .map(\.username)
      }
      #expect(names == ["j.ox", "j.ox2", "j.ox3"])
    }
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var name: String
    var body: JSONValue
    var status: Int
    var code: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Refusal(
      name: "weak password", body: ["email": "b@example.org", "password": "short"], status: 422,
      code: "weak_password"),
    Refusal(
      name: "long password",
      body: ["email": "b@example.org", "password": .string(String(repeating: "x", count: 73))],
      status: 400, code: "validation_failed"),
    Refusal(
      name: "no password", body: ["email": "b@example.org"], status: 400,
      code: "validation_failed"),
    Refusal(
      name: "bad e-mail", body: ["email": "nobody", "password": "correct horse"], status: 400,
      code: "validation_failed"),
    Refusal(
      name: "no e-mail", body: ["password": "correct horse"], status: 400,
      code: "validation_failed"),
    Refusal(
      name: "taken e-mail", body: ["email": "ANA@example.org", "password": "another horse"],
      status: 422, code: "user_already_exists"),
    Refusal(
      name: "taken username",
      body: [
        "email": "b@example.org", "password": "correct horse", "data": ["username": "ANA"],
      ], status: 422, code: "username_taken"),
    Refusal(
      name: "bad username",
      body: [
        "email": "b@example.org", "password": "correct horse", "data": ["username": "a b c"],
      ], status: 400, code: "validation_failed"),
    Refusal(
      name: "bad display name",
      body: [
        "email": "b@example.org", "password": "correct horse",
        "data": ["username": "bob", "display_name": " "],
      ], status: 400, code: "validation_failed"),
  ])
  func `a sign-up that cannot be is refused in both forms`(_ refusal: Refusal) async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      _ = try await Person.signUp("ana", on: server)
      let new = try await client.send(
        .POST, "/auth/v1/signup", refusal.body, headers: Self.versioned)
      #expect(new.status == refusal.status)
      #expect(new.json["code"] == .string(refusal.code))
      #expect(new.json["message"]?.string?.isEmpty == false)
      #expect(new.headers.first(name: "X-Supabase-Api-Version") == "2024-01-01")
      #expect(new.headers.first(name: "x-sb-error-code") == refusal.code)

      let old = try await client.send(.POST, "/auth/v1/signup", refusal.body)
      #expect(old.status == refusal.status)
      #expect(old.json["code"] == .integer(Int64(refusal.status)))
      #expect(old.json["error_code"] == .string(refusal.code))
      #expect(old.json["msg"] == new.json["message"])
      #expect(old.headers.first(name: "X-Supabase-Api-Version") == nil)
      if refusal.code == "weak_password" {
        #expect(old.json["weak_password"] == ["reasons": ["length"]])
      }
    }
  }

  @Test func `a refused username comes with its advice`() async throws {
    try await TestServer.with { server in
      let reply = try await signUp(
        RawClient(server), email: "a@example.org", data: ["username": "ab"])
      #expect(reply.json["message"] == "Use at least 3 characters.")
    }
  }

  @Test func `what is not JSON is refused as such`() async throws {
    try await TestServer.with { server in
      let reply = try await RawClient(server).send(
        .POST, "/auth/v1/signup", data: Data("{".utf8), headers: Self.versioned)
      #expect(reply.status == 400)
      #expect(reply.json["code"] == "bad_json")
    }
  }

  @Test func `of many who want one name at once a single one gets it`() async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
        for number in 0..<8 {
          tasks.addTask {
            try await client.send(
              .POST, "/auth/v1/signup",
              [
                "email": .string("p\(number)@example.org"), "password": "correct horse",
                "data": ["username": "same"],
              ]
            ).status
          }
        }
        return try await tasks.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.count { $0 == 200 } == 1)
      #expect(statuses.count { $0 == 422 } == 7)
    }
  }

  @Test func `a wrong password and an unknown address are answered alike`() async throws {
    try await TestServer.with { server in
      _ = try await Person.signUp("ana", on: server)
      let client = RawClient(server)
      func attempt(_ email: String) async throws -> RawClient.Reply {
        try await client.send(
          .POST, "/auth/v1/token?grant_type=password",
          ["email": .string(email), "password": "wrong horse"], headers: Self.versioned)
      }
      let known = try await attempt("ana@example.org")
      let unknown = try await attempt("nobody@example.org")
      #expect(known.status == 400)
      #expect(
        known.json == ["code": "invalid_credentials", "message": "Invalid login credentials"])
      #expect(unknown.json == known.json)
      #expect(unknown.status == known.status)
    }
  }

  @Test func `signing in ignores whatever token comes along`() async throws {
    try await TestServer.with { server in
      _ = try await Person.signUp("ana", on: server)
      let reply = try await RawClient(server, token: "not.a.token").send(
        .POST, "/auth/v1/token?grant_type=password",
        ["email": "ana@example.org", "password": .string(Person.password)])
      #expect(reply.status == 200)
    }
  }

  @Test func `an unknown grant is refused`() async throws {
    try await TestServer.with { server in
      let reply = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=magic", [:], headers: Self.versioned)
      #expect(reply.status == 400)
      #expect(reply.json["message"] == "unsupported_grant_type")
    }
  }

  @Test func `the own account needs a bearer that stands for a person`() async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      func user(_ bearer: String) async throws -> RawClient.Reply {
        try await client.send(
          .GET, "/auth/v1/user",
          headers: Self.versioned.merging(["authorization": bearer]) { $1 })
      }
      let none = try await user("")
      #expect(none.status == 401)
      #expect(none.json["code"] == "no_authorization")
      let key = try await user("Bearer \(server.key)")
      #expect(key.status == 403)
      #expect(key.json["code"] == "bad_jwt")
      let bad = try await user("Bearer a.b.c")
      #expect(bad.status == 403)
      #expect(bad.json["code"] == "bad_jwt")
    }
  }

  @Test func `an expired token is a bad one`() async throws {
    try await TestServer.with(configure: { $0.accessTokenLifetime = .seconds(-60) }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let user = try await ana.client.send(.GET, "/auth/v1/user", headers: Self.versioned)
      #expect(user.status == 403)
      #expect(user.json["code"] == "bad_jwt")
      let rest = try await ana.client.call(FetchFriends())
      #expect(rest.status == 401)
      #expect(rest.json["code"] == "PGRST303")
      #expect(rest.json["message"] == "JWT expired")
    }
  }

  @Test func `the data services alone forgive a token that ended seconds ago`() async throws {
    try await TestServer.with(configure: { $0.accessTokenLifetime = .seconds(-1) }) { server in
      let ana = try await Person.signUp("ana", on: server)
      #expect(try await ana.client.call(FetchFriends()).status == 200)
      #expect(try await ana.client.send(.GET, "/rest/v1/profiles").status == 200)
      #expect(try await ana.client.send(.GET, "/auth/v1/user").status == 403)
    }
  }

  @Test func `metadata is merged and null deletes a key`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let reply = try await ana.client.send(
        .PUT, "/auth/v1/user", ["data": ["colour": "green", "display_name": nil]])
      #expect(reply.status == 200)
      #expect(reply.json["user_metadata"] == ["username": "ana", "colour": "green"])
      let admin = try await ana.client.send(
        .PUT, "/auth/v1/user", ["app_metadata": ["role": "king"]], headers: Self.versioned)
      #expect(admin.status == 403)
      #expect(admin.json["code"] == "not_admin")
    }
  }

  @Test func `a new password ends the other sessions and must be new`() async throws {
    try await TestServer.with { server in
      let here = try await Person.signUp("ana", on: server)
      let grant: JSONValue = [
        "email": "ana@example.org", "password": .string(Person.password),
      ]
      let there = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=password", grant
      ).decoded(AuthSession.self)
      let same = try await here.client.send(
        .PUT, "/auth/v1/user", ["password": .string(Person.password)], headers: Self.versioned)
      #expect(same.status == 422)
      #expect(same.json["code"] == "same_password")

      let changed = try await here.client.send(
        .PUT, "/auth/v1/user", ["password": "another horse"])
      #expect(changed.status == 200)
      #expect(try await here.client.send(.GET, "/auth/v1/user").status == 200)
      let other = try await RawClient(server, token: there.accessToken).send(
        .GET, "/auth/v1/user", headers: Self.versioned)
      #expect(other.status == 403)
      #expect(other.json["code"] == "session_not_found")
      let old = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=password", grant)
      #expect(old.status == 400)
    }
  }

  @Test func `an e-mail can change, but not to somebody else's`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      _ = try await Person.signUp("ben", on: server)
      let taken = try await ana.client.send(
        .PUT, "/auth/v1/user", ["email": "ben@example.org"], headers: Self.versioned)
      #expect(taken.status == 422)
      #expect(taken.json["code"] == "email_exists")
      let free = try await ana.client.send(.PUT, "/auth/v1/user", ["email": "New@example.org"])
      #expect(free.json["email"] == "new@example.org")
    }
  }

  @Test func `settings and health say what clients look for`() async throws {
    try await TestServer.with { server in
      let settings = try await RawClient(server).send(.GET, "/auth/v1/settings")
      #expect(settings.json["external"]?["email"] == true)
      #expect(settings.json["mailer_autoconfirm"] == true)
      let health = try await RawClient(server).send(.GET, "/auth/v1/health")
      #expect(health.json["name"] == "GoTrue")
    }
  }
}
