import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct FriendsVerbTests {
    @Test func `two people become friends by their command lines`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Pereira")
      let bob = try await served.home("bob", displayName: "Bob Stone")

      try await ana.must("friends", "add", "bob")

      let outgoing = try await ana.must("friends", "requests", "--outgoing", "--json").json()
      #expect(outgoing.array?.count == 1)
      #expect(outgoing.array?[0]["direction"] == "outgoing")
      #expect(outgoing.array?[0]["username"] == "bob")
      let incoming = try await bob.must("friends", "requests", "--incoming", "--json").json()
      let row = try #require(incoming.array?.first?.object)
      #expect(Set(row.keys) == ["direction", "id", "username", "display_name", "created_at"])
      #expect(row["display_name"] == "Ana Pereira")
      #expect(WireTime(row["created_at"]?.string ?? "") != nil)

      try await bob.must("friends", "accept", "ana")

      for (home, other) in [(ana, "bob"), (bob, "ana")] {
        let friends = try await home.must("friends", "list", "--json").json()
        let friend = try #require(friends.array?.first?.object)
        #expect(
          Set(friend.keys)
            == ["id", "username", "display_name", "since", "presence", "last_seen"])
        #expect(friend["username"]?.string == other)
        #expect(friends.array?.count == 1)
        #expect(friend["presence"] == "offline")
        #expect(try await home.must("friends", "requests", "--json").json() == [])
      }
    }

    @Test func `requests are declined, cancelled and answered by asking back`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")

      try await ana.must("friends", "add", "bob")
      try await bob.must("friends", "decline", "ana")
      #expect(try await ana.must("friends", "requests", "--json").json() == [])

      try await ana.must("friends", "add", "bob")
      try await ana.must("friends", "cancel", "bob")
      #expect(try await bob.must("friends", "requests", "--json").json() == [])
      #expect(try await bob.rally("friends", "accept", "ana").status == .exited(5))

      try await ana.must("friends", "add", "bob")
      try await bob.must("friends", "add", "ana")
      #expect(try await ana.must("friends", "list", "--json").json().array?.count == 1)

      try await bob.must("friends", "remove", "ana")
      #expect(try await ana.must("friends", "list", "--json").json() == [])
    }

    @Test func `blocking ends a friendship and hides who blocked`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))

      try await ana.must("friends", "block", "bob")

      let blocked = try await ana.must("friends", "blocked", "--json").json()
      #expect(blocked.array?.map { $0["username"] } == ["bob"])
      #expect(try await bob.must("friends", "list", "--json").json() == [])
      #expect(try await bob.must("friends", "search", "ana", "--json").json() == [])
      #expect(try await bob.rally("friends", "add", "ana").status == .exited(5))

      let unblocked = try await ana.must("friends", "unblock", "bob")
      #expect(unblocked.errors.contains("You unblocked @bob."))
      #expect(try await ana.must("friends", "blocked", "--json").json() == [])
      let again = try await ana.must("friends", "unblock", "bob")
      #expect(again.errors.contains("You do not block @bob."))
      try await bob.must("friends", "add", "ana")
    }

    @Test func `people are found by part of a name`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      _ = try await served.home("kenji", displayName: "田中 健司")
      for text in ["ken", "田中", "enj", "KENJI"] {
        let found = try await ana.must("friends", "search", text, "--json").json()
        #expect(found.array?.map { $0["username"] } == ["kenji"], "\(text)")
      }
      let table = try await ana.must("friends", "search", "kenji")
      #expect(table.output.contains("田中 健司"))
      #expect(table.output.contains("@kenji"))
    }

    @Test func `a name that would act on the terminal is printed without its escape`()
      async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let home = try served.home()
      let run = try await home.rally(
        "signup", "--email", "eve@example.org", "--username", "eve", "--display-name",
        "Eve\u{1B}[2J\u{202E}evil", "--password-stdin", input: Home.password + "\n")
      if run.succeeded {
        let found = try await ana.must("friends", "search", "eve")
        #expect(!found.output.contains("\u{1B}"))
        #expect(!found.output.contains("\u{202E}"))
        let json = try await ana.must("friends", "search", "eve", "--json")
        #expect(!json.output.contains("\u{1B}"))
      } else {
        #expect(run.status == .exited(2))
      }
    }
  }
}
