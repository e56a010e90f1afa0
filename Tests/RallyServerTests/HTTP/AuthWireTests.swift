import Foundation
import NIOHTTP1
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

/// `/auth/v1` as GoTrue's clients meet it: every refusal with its status, code and form.
@Suite struct AuthWireTests {
  private static let versioned = [AuthFailure.versionHeader: AuthFailure.version]

  /// Asks in both forms and gives status and code of the newer one.
  private func refusal(
    _ client: RawClient, _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil,
    bearer: String? = nil
  ) async throws -> (status: Int, code: String, message: String) {
    var headers: [String: String] = [:]
    if let bearer { headers["authorization"] = bearer }
    let old = try await client.send(method, path, body, headers: headers)
    let new = try await client.send(
      method, path, body, headers: headers.merging(Self.versioned) { $1 })
    #expect(new.status == old.status)
    #expect(new.json.object?.keys.sorted() == ["code", "message"])
    #expect(old.json.object?.keys.sorted() == ["code", "error_code", "msg"])
    #expect(old.json["code"] == .integer(Int64(old.status)))
    #expect(old.json["error_code"] == new.json["code"])
    #expect(old.json["msg"] == new.json["message"])
    for reply in [old, new] {
      #expect(reply.headers.first(name: "x-sb-error-code") == new.json["code"]?.string)
    }
    #expect(new.headers.first(name: AuthFailure.versionHeader) == AuthFailure.version)
    #expect(old.headers.first(name: AuthFailure.versionHeader) == nil)
    return (new.status, new.json["code"]?.string ?? "", new.json["message"]?.string ?? "")
  }

  // MARK: - Signing in and up

  @Test(
    arguments: [
      ("/token?grant_type=password", ["password": "x"], 400, "validation_failed"),
      ("/token?grant_type=password", ["email": ""], 400, "validation_failed"),
      ("/token?grant_type=password", ["email": "a@b.org"], 400, "validation_failed"),
      (
        "/token?grant_type=password", ["email": "nobody", "password": "x"], 400,
        "invalid_credentials"
      ),
      (
        "/token?grant_type=password", ["phone": "+35", "password": "x"], 422,
        "phone_provider_disabled"
      ),
      ("/token?grant_type=password", ["email": 5], 400, "bad_json"),
      ("/token?grant_type=password", [1], 400, "bad_json"),
      ("/token?grant_type=refresh_token", [:], 400, "validation_failed"),
      ("/token?grant_type=refresh_token", ["refresh_token": nil], 400, "validation_failed"),
      (
        "/token?grant_type=refresh_token", ["refresh_token": "abcdefghijkl"], 400,
        "refresh_token_not_found"
      ),
      ("/token?grant_type=pkce", [:], 400, "invalid_credentials"),
      ("/token", [:], 400, "invalid_credentials"),
      ("/signup", [:], 422, "anonymous_provider_disabled"),
      ("/signup", ["data": ["a": 1]], 422, "anonymous_provider_disabled"),
      ("/signup", ["phone": "+35", "password": "correct horse"], 422, "phone_provider_disabled"),
      ("/recover", ["email": "ana@example.org"], 422, "validation_failed"),
      ("/recover", ["email": "nobody@example.org"], 422, "validation_failed"),
      ("/otp", ["email": "ana@example.org"], 404, "not_found"),
      ("/admin/users", [:], 404, "not_found"),
      ("/", [:], 404, "not_found"),
    ] as [(String, JSONValue, Int, String)])
  func `what cannot be is refused`(
    _ path: String, _ body: JSONValue, _ status: Int, _ code: String
  ) async throws {
    try await TestServer.with { server in
      _ = try await Person.signUp("ana", on: server)
      let answer = try await refusal(RawClient(server), .POST, "/auth/v1" + path, body)
      #expect(answer.status == status)
      #expect(answer.code == code)
    }
  }

  @Test func `unknown fields of official clients change nothing`() async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      let extras: [String: JSONValue] = [
        "gotrue_meta_security": ["captcha_token": nil], "code_challenge": "x",
        "code_challenge_method": "s256", "channel": "sms", "nonce": "1",
      ]
      let account: [String: JSONValue] = [
        "email": " Ana@Example.org", "password": "correct horse",
      ]
      let signUp = try await client.send(
        .POST, "/auth/v1/signup", .object(account.merging(extras) { $1 }))
      #expect(signUp.status == 200)
      let session = try signUp.decoded(AuthSession.self)
      let signIn = try await client.send(
        .POST, "/auth/v1/token?grant_type=password",
        .object(account.merging(extras) { $1 }.merging(["data": [:]]) { $1 }))
      #expect(signIn.status == 200)
      let update = try await RawClient(server, token: session.accessToken).send(
        .PUT, "/auth/v1/user", .object(extras))
      #expect(update.status == 200)
      #expect(update.json["email"] == "ana@example.org")
    }
  }

  // MARK: - The bearer

  @Test func `what stands for nobody is refused`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let client = RawClient(server)
      for (method, path) in [
        (HTTPMethod.GET, "/auth/v1/user"), (.PUT, "/auth/v1/user"), (.POST, "/auth/v1/logout"),
        (.POST, "/auth/v1/logout?scope=x"),
      ] {
        let body: JSONValue? = method == .GET ? nil : [:]
        func answer(_ bearer: String) async throws -> (status: Int, code: String) {
          let answer = try await refusal(client, method, path, body, bearer: bearer)
          return (answer.status, answer.code)
        }
        let token = ana.session.accessToken
        #expect(try await answer("") == (401, "no_authorization"))
        #expect(try await answer("Basic \(token)") == (401, "no_authorization"))
        #expect(try await answer(token) == (401, "no_authorization"))
        #expect(try await answer("Bearer \(server.key)") == (403, "bad_jwt"))
        #expect(try await answer("Bearer \(token)x") == (403, "bad_jwt"))
        #expect(try await answer("Bearer sb_secret_x") == (403, "bad_jwt"))
      }
      #expect(
        try await refusal(ana.client, .POST, "/auth/v1/logout?scope=x").code == "validation_failed")
      // Any case of the word will do, as with GoTrue.
      let user = try await client.send(
        .GET, "/auth/v1/user", headers: ["authorization": "bearer \(ana.session.accessToken)"])
      #expect(user.status == 200)
    }
  }

  @Test func `an expired token is called expired`() async throws {
    try await TestServer.with(configure: { $0.accessTokenLifetime = .seconds(-5) }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let answer = try await refusal(ana.client, .GET, "/auth/v1/user")
      #expect(answer.status == 403)
      #expect(answer.code == "bad_jwt")
      #expect(answer.message.hasSuffix("token is expired"))
    }
  }

  @Test func `two tokens of one second and session are the same bytes`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      var pair: (AuthSession, AuthSession)?
      // Unless the second turns just between the two.
      while pair == nil || pair?.0.expiresAt != pair?.1.expiresAt {
        func parent() async throws -> AuthSession {
          try await RawClient(server).send(
            .POST, "/auth/v1/token?grant_type=refresh_token",
            ["refresh_token": .string(ana.session.refreshToken)]
          ).decoded(AuthSession.self)
        }
        pair = (try await parent(), try await parent())
      }
      #expect(pair?.0.accessToken == pair?.1.accessToken)
    }
  }

  // MARK: - The own account

  @Test func `changes of the account that cannot be are refused`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      func code(_ body: JSONValue) async throws -> String {
        try await refusal(ana.client, .PUT, "/auth/v1/user", body).code
      }
      #expect(try await code(["phone": "+35"]) == "phone_provider_disabled")
      #expect(try await code(["email": "nobody"]) == "validation_failed")
      #expect(try await code(["data": [1]]) == "bad_json")
      #expect(
        try await code(["data": ["a": .string(String(repeating: "x", count: 9000))]])
          == "validation_failed")
      #expect(
        try await code(["password": .string(String(repeating: "x", count: 73))])
          == "validation_failed")
      #expect(
        try await code(["password": "another horse", "current_password": "wrong"])
          == "invalid_credentials")
      let weak = try await ana.client.send(
        .PUT, "/auth/v1/user", ["password": "short"], headers: Self.versioned)
      #expect(weak.json["weak_password"] == ["reasons": ["length"]])
      // Nothing of it happened.
      #expect(try await ana.client.send(.GET, "/auth/v1/user").json["email"] == "ana@example.org")

      let right = try await ana.client.send(
        .PUT, "/auth/v1/user",
        ["password": "another horse", "current_password": .string(Person.password), "email": ""])
      #expect(right.status == 200)
    }
  }

  @Test func `a refused part refuses the whole change`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      _ = try await Person.signUp("ben", on: server)
      let answer = try await refusal(
        ana.client, .PUT, "/auth/v1/user",
        ["email": "ben@example.org", "password": "another horse", "data": ["colour": "red"]])
      #expect(answer.code == "email_exists")
      let user = try await ana.client.send(.GET, "/auth/v1/user")
      #expect(user.json["user_metadata"]?["colour"] == nil)
      let signIn = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=password",
        ["email": "ana@example.org", "password": .string(Person.password)])
      #expect(signIn.status == 200)
    }
  }

  @Test func `the token keeps the metadata of its making until it is refreshed`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      _ = try await ana.client.send(.PUT, "/auth/v1/user", ["data": ["colour": "green"]])
      let refreshed = try await RawClient(server).send(
        .POST, "/auth/v1/token?grant_type=refresh_token",
        ["refresh_token": .string(ana.session.refreshToken)]
      ).decoded(AuthSession.self)
      func colour(_ token: String) -> JSONValue? {
        var text = String(token.split(separator: ".")[1])
          .replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        let claims = Data(base64Encoded: text).flatMap {
          try? WireJSON.decode(JSONValue.self, from: $0)
        }
        return claims?["user_metadata"]?["colour"]
      }
      #expect(colour(ana.session.accessToken) == nil)
      #expect(colour(refreshed.accessToken) == "green")
    }
  }

  // MARK: - Around it

  @Test func `without the key nothing is answered but the public keys`() async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      for path in ["/auth/v1/health", "/auth/v1/settings", "/rest/v1/profiles"] {
        let none = try await client.send(.GET, path, headers: ["apikey": ""])
        #expect(none.status == 401)
        #expect(none.json["message"] == "No API key found in request")
        #expect(none.json["hint"]?.string?.isEmpty == false)
        let bad = try await client.send(.GET, path, headers: ["apikey": "x"])
        #expect(bad.status == 401)
        #expect(bad.json["message"] == "Invalid API key")
      }
      let query = try await client.send(
        .GET, "/auth/v1/health?apikey=\(server.key)", headers: ["apikey": ""])
      #expect(query.status == 200)
      let keys = try await client.send(
        .GET, "/auth/v1/.well-known/jwks.json", headers: ["apikey": "", "authorization": ""])
      #expect(keys.status == 200)
      #expect(keys.json == ["keys": []])
    }
  }

  @Test func `no answer is for a cache`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      for reply in [
        try await ana.client.send(.GET, "/auth/v1/user"),
        try await ana.client.send(
          .POST, "/auth/v1/token?grant_type=refresh_token",
          ["refresh_token": .string(ana.session.refreshToken)]),
        try await ana.client.send(.POST, "/auth/v1/token?grant_type=password", [:]),
        try await ana.client.call(FetchFriends()),
        try await ana.client.send(.GET, "/rest/v1/friendships?limit=1"),
        try await ana.client.send(.GET, "/rest/v1/nothing"),
        try await RawClient(server).call(FetchFriends()),
      ] {
        #expect(reply.headers["Cache-Control"] == ["no-store"], "\(reply.status)")
      }
    }
  }

  @Test func `settings have every key that clients read`() async throws {
    try await TestServer.with { server in
      let settings = try await RawClient(server).send(.GET, "/auth/v1/settings").json
      for key in ["disable_signup", "mailer_autoconfirm", "phone_autoconfirm", "saml_enabled"] {
        #expect(settings[key]?.bool != nil, "\(key)")
      }
      #expect(settings["sms_provider"]?.string != nil)
      let health = try await RawClient(server).send(.GET, "/auth/v1/health").json
      #expect(health.object?.keys.sorted() == ["description", "name", "version"])
    }
  }

  @Test func `addresses that nobody has are refused in their service's form`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let rest = try await ana.client.send(.GET, "/rest/v1/a/b/c")
      #expect(rest.status == 404)
      #expect(rest.json.object?.keys.sorted() == ["code", "details", "hint", "message"])
      let auth = try await refusal(ana.client, .DELETE, "/auth/v1/nothing")
      #expect(auth.status == 404)
      let other = try await ana.client.send(.GET, "/storage/v1/object")
      #expect(other.status == 404)
      #expect(other.json["message"]?.string != nil)
    }
  }
}
