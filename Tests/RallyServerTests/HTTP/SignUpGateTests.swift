import Foundation
import NIOHTTP1
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

@Suite struct SignUpGateTests {
  /// Asks for an account with these words for a code.
  private func signUp(
    _ name: String, _ password: String = Person.password, code: String? = nil,
    on server: TestServer
  ) async throws -> RawClient.Reply {
    var data: [String: JSONValue] = ["username": .string(name)]
    if let code { data["invitation_code"] = .string(code) }
    return try await RawClient(server).send(
      .POST, "/auth/v1/signup",
      [
        "email": .string("\(name)@example.org"), "password": .string(password),
        "data": .object(data),
      ], headers: [AuthFailure.versionHeader: AuthFailure.version])
  }

  private func settings(of server: TestServer) async throws -> AuthSettings {
    try await RawClient(server).send(.GET, "/auth/v1/settings").decoded(AuthSettings.self)
  }

  @Test func `an open server takes everybody and says so`() async throws {
    try await TestServer.with { server in
      let said = try await settings(of: server)
      #expect(said == AuthSettings(policy: .open))
      #expect(try await signUp("ana", on: server).status == 200)
    }
  }

  @Test func `a closed server takes nobody, with a code or without`() async throws {
    let folder = ServedFolder()
    let code = try await folder.serve { server in
      let ana = try await Person.signUp("ana", on: server)
      return try await ana.result(of: CreateInvitation(missionID: nil)).code
    }
    try await folder.serve(configure: { $0.signUpPolicy = .closed }) { server in
      let settings = try await settings(of: server)
      #expect(settings.isSignUpDisabled)
      #expect(settings.signUp == .closed)
      for code in [nil, code.value] {
        let reply = try await signUp("bob", code: code, on: server)
        #expect(reply.status == 422)
        #expect(reply.json["code"] == "signup_disabled")
        #expect(reply.json["message"] == "Signups not allowed for this instance")
      }
    }
  }

  @Test func `by invitation a code lets in as many as it is for, and is accepted`() async throws {
    let folder = ServedFolder()
    let ana = try await folder.serve { try await Person.signUp("ana", on: $0) }
    try await folder.serve(configure: { $0.signUpPolicy = .invited }) { server in
      var client = RawClient(server)
      client.token = ana.session.accessToken
      #expect(try await settings(of: server).signUp == .invited)
      #expect(try await !settings(of: server).isSignUpDisabled)
      let code = try await client.result(of: CreateInvitation(missionID: nil)).code
      for wrong in [nil, "", "0000000000"] {
        let reply = try await signUp("bob", code: wrong, on: server)
        #expect(reply.status == 422)
        #expect(reply.json["code"] == "signup_disabled")
      }
      #expect(
        try await signUp("bob", code: "nonsense", on: server).json["code"] == "validation_failed")
      // Nobody learns without a code whether an address has an account.
      #expect(
        try await signUp("ana", "a guess", on: server).json["code"] == "signup_disabled")

      let bob = try await signUp("bob", code: code.link, on: server)
      #expect(bob.status == 200)
      #expect(try bob.decoded(AuthSession.self).user.userMetadata["invitation_code"] == nil)
      // The code is used up; whoever lost the answer may still repeat the sign-up.
      #expect(try await signUp("bob", code: code.link, on: server).status == 200)
      let friends = try await client.result(of: FetchFriends())
      #expect(friends.map(\.username) == ["bob"])
      #expect(try await signUp("zoe", code: code.value, on: server).status == 422)
    }
  }

  @Test func `a code for a mission brings a newcomer into it`() async throws {
    let folder = ServedFolder()
    let ana = try await folder.serve { try await Person.signUp("ana", on: $0) }
    try await folder.serve(configure: { $0.signUpPolicy = .invited }) { server in
      var client = RawClient(server)
      client.token = ana.session.accessToken
      let mission = try await client.result(of: CreateMission.sample(capacity: 2))
      let code = try await client.result(of: CreateInvitation(missionID: mission.id, uses: 2)).code
      #expect(try await signUp("bob", code: code.value, on: server).status == 200)
      // The place is taken: the account is not made either.
      let late = try await signUp("zoe", code: code.value, on: server)
      #expect(late.status == 422)
      #expect(late.json["message"]?.string?.contains("full") == true)
      let seen = try await client.result(of: FetchMission(missionID: mission.id))
      #expect(seen.members.map(\.username) == ["ana", "bob"])
      let found = try await client.result(of: SearchPeople(query: "zoe"))
      #expect(found.isEmpty)
    }
  }

  @Test func `ten who come with one code at once are one`() async throws {
    let folder = ServedFolder()
    let ana = try await folder.serve { try await Person.signUp("ana", on: $0) }
    try await folder.serve(configure: { $0.signUpPolicy = .invited }) { server in
      var client = RawClient(server)
      client.token = ana.session.accessToken
      let code = try await client.result(of: CreateInvitation(missionID: nil)).code
      let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
        for number in 0..<10 {
          tasks.addTask {
            try await signUp("person\(number)", code: code.value, on: server).status
          }
        }
        return try await tasks.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == [200] + Array(repeating: 422, count: 9))
    }
  }
}
