import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct InviteVerbTests {
    @Test func `a code makes friends of two people, once, after it said so`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Pereira")
      let bob = try await served.home("bob")
      let eve = try await served.home("eve")
      let link = try await ana.must("invite").output.trimmingCharacters(in: .newlines)
      #expect(link.hasPrefix("rally://invite/"))
      #expect(link.contains("?server=http%3A%2F%2F127.0.0.1"))

      let offer = try await bob.must("invite", "show", link, "--json").json()
      #expect(
        Set(offer.object?.keys.map(\.self) ?? []) == [
          "code", "kind", "inviter", "mission", "expires_at", "is_accepted",
        ])
      #expect(offer["kind"] == "friendship")
      #expect(offer["inviter"]?["username"] == "ana")
      #expect(offer["is_accepted"] == false)
      // Nothing has happened yet.
      #expect(try await bob.must("friends", "--json").json() == [])

      let accepted = try await bob.must("invite", "accept", link, "--json").json()
      #expect(accepted["friend"]?["username"] == "ana")
      #expect(accepted["mission"] == .null)
      #expect(try await ana.must("friends", "--json").json().array?.count == 1)
      // Again is harmless; somebody else is too late.
      try await bob.must("invite", "accept", link)
      #expect(try await eve.rally("invite", "accept", link).status == .exited(5))
    }

    @Test func `a server that says how it is reached has links for everybody`() async throws {
      let served = try await ServedRally(
        "--public-url", "http://127.0.0.1:1/rally", "--public-ssh", "rally@127.0.0.1:2222")
      let ana = try await served.home("ana")
      let made = try await ana.must("invite", "--qr")
      let link = made.output.trimmingCharacters(in: .newlines)
      #expect(link.hasPrefix("http://127.0.0.1:1/rally/i#"))
      #expect(made.errors.contains("With nothing installed: ssh -p 2222 rally@127.0.0.1"))
      let listed = try await ana.must("invite", "list", "--json").json()
      #expect(listed.array?.map { $0["link"] } == [.string(link)])
      // On a terminal a phone reads the link.
      let session = try await ana.open(rows: 60, columns: 80, "invite", "create", "--qr")
      #expect(try await session.waitForExit() == .exited(0))
      let lines = session.screen.lines
      let code = lines.filter { $0.contains("█") || $0.contains("▀") || $0.contains("▄") }
      let shown = try #require(lines.first { $0.hasPrefix("http://127.0.0.1:1/rally/i#") })
      #expect(try await QRCodeReader.text(in: code) == shown.trimmingCharacters(in: .whitespaces))
      // Nobody answers there, and it was not said that somebody did.
      try await eventually("the address was looked at") {
        served.command.snapshot.errorText.contains(
          "http://127.0.0.1:1/rally was not reached from here")
      }
      #expect(!served.command.snapshot.errorText.contains("answers as this server"))
    }

    @Test func `the first person of a group by invitation comes by the operator's link`()
      async throws
    {
      let served = try await ServedRally("--signup", "invited")
      let made = try await CommandRun.of(
        RallyBinary.required(),
        ["serve", "invite", "--data", served.folder.file("server"), "--public-url"]
          + [served.announcement.url], environment: served.folder.environment)
      let link = made.output.trimmingCharacters(in: .newlines)
      #expect(link.hasPrefix("\(served.announcement.url)/i#"), "\(made)")
      let ana = try Home()
      let screen = try await ana.open(link)
      try await screen.waitFor("You are invited to the group on this server.", "▸ Username")
      screen.send("ana\r")
      try await screen.waitFor("▸ Password")
      screen.send("\(Home.password)\r")
      try await screen.waitForTabs(of: "ana")
    }

    @Test func `codes of mine are listed with their uses, and taken back`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      let made = try await ana.must(
        "invite", "create", "--uses", "3", "--expires", "2d", "--json"
      ).json()
      #expect(
        Set(made.object?.keys.map(\.self) ?? []) == [
          "code", "link", "kind", "mission_id", "mission_title", "uses", "used", "used_by",
          "expires_at",
          "created_at",
        ])
      let code = try #require(made["code"]?.string)
      try await bob.must("invite", "accept", code.lowercased())
      let listed = try await ana.must("invite", "list", "--json").json()
      #expect(listed.array?.map { $0["used"] } == [1])
      #expect(listed.array?.map { $0["uses"] } == [3])
      #expect(listed.array?.map { $0["used_by"] } == [["bob"]])
      #expect(try await ana.must("invite", "list").output.contains("used 1 of 3"))
      try await ana.must("invite", "revoke", code)
      #expect(try await ana.must("invite", "list", "--json").json() == [])
      #expect(try await bob.rally("invite", "show", code).status == .exited(5))
      // What it gave stays.
      #expect(try await bob.must("friends", "--json").json().array?.count == 1)
    }

    @Test func `a code brings a stranger into a mission`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await ana.must("missions", "new", "--title", "Fog run", "--at", "38.7,-9.1")
      let link = try await ana.must("invite", "create", "--mission", "Fog").output
      let shown = try await bob.must("invite", "show", link)
      #expect(shown.output.contains("invites you to Fog run."))
      let result = try await bob.must("invite", "accept", link, "--json").json()
      #expect(result["mission"]?["my_state"] == "joined")
      #expect(try await bob.must("friends", "--json").json() == [])
    }

    @Test func `what cannot be is refused with the status that says why`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let link = try await ana.must("invite").output
      #expect(try await ana.rally("invite", "accept", link).status == .exited(5))
      #expect(try await ana.rally("invite", "show", "7QK2M").status == .exited(2))
      #expect(try await ana.rally("invite", "show", "0000000000").status == .exited(5))
      #expect(try await ana.rally("invite", "create", "--uses", "0").status == .exited(2))
      #expect(try await ana.rally("invite", "create", "--expires", "soon").status == .exited(2))
      let elsewhere = try await ana.rally(
        "invite", "accept", "rally://invite/0000000000?server=https%3A%2F%2Frally.example.org")
      #expect(elsewhere.status == .exited(2))
      #expect(elsewhere.errors.contains("https://rally.example.org"))
      #expect(try await served.home().rally("invite", "show", link).status == .exited(3))
    }

    @Test func `a link alone makes an account on its server, beside the one that is there`()
      async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Pereira")
      let link = try await ana.must("invite", "--uses", "2").output
        .trimmingCharacters(in: .newlines)
      // Nothing is known of the server on this machine.
      let cleo = try Home()
      let screen = try await cleo.open(link)
      try await screen.waitFor("@ana invites you: you become friends.", "▸ Username")
      screen.send("cleo\r")
      try await screen.waitFor("▸ Password")
      screen.send("\(Home.password)\r")
      try await screen.waitFor("You and @ana are friends now.")
      screen.send("q")
      try await screen.waitForExit()
      #expect(try await cleo.must("whoami", "--json").json()["username"] == "cleo")
      // Whoever is signed in elsewhere gets a profile of its own, in the same terminal.
      let other = try await ServedRally()
      let dora = try await other.home("dora")
      let second = try Home(folder: dora.folder)
      let elsewhere = try await second.open(link)
      try await elsewhere.waitFor("The profile “127.0.0.1” keeps")
      elsewhere.send("\r")
      try await elsewhere.waitFor("@ana invites you: you become friends.", "▸ Username")
      elsewhere.send("dora\r")
      try await elsewhere.waitFor("▸ Password")
      elsewhere.send("\(Home.password)\r")
      try await elsewhere.waitFor("You and @ana are friends now.")
      elsewhere.send("q")
      try await elsewhere.waitForExit()
      #expect(try await ana.must("friends", "--json").json().array?.count == 2)
    }

    @Test func `a link as the only word starts the interface with what it gives`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Pereira")
      let bob = try await served.home("bob")
      let link = try await ana.must("invite").output.trimmingCharacters(in: .newlines)
      #expect(try await bob.rally(link).status == .exited(2))
      let screen = try await bob.open(link)
      try await screen.waitUntil("the offer") {
        $0.lines.contains { $0.contains("Ana Pereira (@ana) invites you to be friends.") }
      }
      screen.send("\r")
      try await screen.waitUntil("the friendship") {
        $0.lines.contains { $0.contains("You and @ana are friends now.") }
      }
      #expect(try await bob.must("friends", "--json").json().array?.count == 1)
    }
  }
}
