import Foundation
import RallyTestSupport
import RallyWire
import Testing

@Suite(.everyEngine, .acrossNodes) struct ProfileFunctionsTests {
  @Test func `a change raises the version, no change does not`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let changed = try await ana.result(
        of: UpdateProfile(displayName: " Ana  Maria ", bio: "hi", username: "Ana.M"))
      #expect(changed.displayName == "Ana  Maria")
      #expect(changed.username == "ana.m")
      #expect(changed.version == 2)
      #expect(try await ana.result(of: UpdateProfile(bio: "hi")).version == 2)
    }
  }

  @Test func `bad fields are refused by name`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      _ = try await Person.signUp("ben", on: server)
      #expect(try await ana.refusal(of: UpdateProfile(username: "a b")) == "invalid_username")
      #expect(try await ana.refusal(of: UpdateProfile(username: "BEN")) == "username_taken")
      #expect(
        try await ana.refusal(of: UpdateProfile(displayName: "")) == "invalid_display_name")
      let long = String(repeating: "x", count: 161)
      #expect(try await ana.refusal(of: UpdateProfile(bio: long)) == "invalid_bio")
    }
  }

  @Test func `what could harm a terminal is taken out of names`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let profile = try await ana.result(
        of: UpdateProfile(displayName: "A\u{1B}[31mna\u{202E}", bio: "a\u{7}b"))
      #expect(profile.displayName == "A[31mna")
      #expect(profile.bio == "ab")
    }
  }

  @Test func `profiles come in the order asked for, once each`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let rows = try await ana.result(
        of: FetchProfiles(userIDs: [ben.id, ana.id, UUID(), ben.id]))
      #expect(rows.map(\.username) == ["ben", "ana"])
      let many = (0...500).map { _ in UUID() }
      #expect(try await ana.refusal(of: FetchProfiles(userIDs: many)) == "invalid_argument")
    }
  }
}
