import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// `ssh rally@host` with the real sshd as a user without rights.
  @Suite struct SSHSessionTests {
    @Test func `a key opens Rally as its account, and a command runs a verb`() async throws {
      let host = try await SSHHost()
      let (ana, ben) = (try await host.guest("ana"), try await host.guest("ben"))
      try await host.served.befriend(ana.home, ben.home, named: ("ana", "ben"))
      #expect(try await ana.ssh([], "whoami", "--json").json()["username"] == "ana")
      #expect(try await ben.ssh([], "whoami", "--json").json()["username"] == "ben")
      let friends = try await ana.ssh([], "friends", "--json")
      #expect(try friends.json().array?.first?["username"] == "ben")
      #expect(try await ana.ssh([], "where", "--json").json() == [])
      #expect(try await ana.ssh([], "friends", "list", "--filter", "bo", "--json").json() == [])

      let session = try await ana.open(adding: ["COLORTERM": "truecolor"])
      try await session.waitForTabs(of: "ana")
      try await session.waitUntilLive()
      session.resize(rows: 40, columns: 120)
      try await session.waitUntil("the new size") { $0.lines[0].contains("@ana") }
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])

      // Each account has a private folder of its own, and no session lies in it.
      let accounts = host.guestFiles.filter { $0.split(separator: "/").count == 3 }
      #expect(accounts.count == 2)
      for account in accounts { #expect(host.daemon.folder.permissions(of: account) == 0o700) }
      #expect(!host.guestFiles.contains { $0.contains("/sessions/") })
      let keys = try await ana.home.must("ssh-key", "list", "--json").json()
      #expect(keys.array?.first?["last_used_at"] != .null)
    }

    @Test func `the first who comes in with a key says whose it is`() async throws {
      let host = try await SSHHost()
      let ana = try await host.guest("ana")
      let ben = try await host.stranger()
      // Ana adds a public key that is not hers.
      try await ana.home.must("ssh-key", "add", ben.keyFile + ".pub", "--name", "other")
      let command = try await ben.ssh([], "whoami")
      #expect(command.status == .exited(3) && command.errors.contains("claim USERNAME"))
      let wrong = try await ben.ssh([], "claim", "ben")
      #expect(wrong.status == .exited(3) && wrong.errors.contains("No account “ben”"))
      let session = try await ben.open()
      try await session.waitFor("The username of your account")
      session.send("ana\r")
      try await session.waitForTabs(of: "ana")
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(try await ben.ssh([], "whoami", "--json").json()["username"] == "ana")
    }

    @Test func `a person has a number of connections, and others come in beside them`()
      async throws
    {
      let host = try await SSHHost()
      let (ana, ben) = (try await host.guest("ana"), try await host.guest("ben"))
      var open: [PtySession] = []
      for _ in 0..<8 {
        let session = try await ana.open()
        try await session.waitForTabs(of: "ana")
        open.append(session)
      }
      let further = try await ana.ssh([], "whoami")
      #expect(further.status == .exited(1) && further.errors.contains("8 connections"))
      #expect(try await ben.ssh([], "whoami", "--json").json()["username"] == "ben")
      open.removeLast().signal(SIGKILL)
      try await eventually("the place is free again") {
        try await ana.ssh([], "whoami").succeeded
      }
    }

    @Test func `an unknown key is not let in, nor one that was removed`() async throws {
      let host = try await SSHHost()
      let stranger = try await host.stranger()
      #expect(try await stranger.ssh([], "whoami").status == .exited(255))
      let ana = try await host.guest("ana")
      #expect(try await ana.ssh([], "whoami").succeeded)
      try await ana.home.must("ssh-key", "remove", "laptop")
      #expect(try await ana.ssh([], "whoami").status == .exited(255))
    }

    @Test func `a newcomer makes an account, and the key is theirs from then on`() async throws {
      let host = try await SSHHost("--newcomers")
      let cleo = try await host.stranger()
      let early = try await cleo.ssh([], "whoami")
      #expect(early.status == .exited(3) && early.errors.contains("no account here yet"))
      let session = try await cleo.open()
      try await session.waitFor("New account")
      #expect(!session.screen.contains("look around") && !session.screen.contains("^T"))
      for field in ["cleo@example.org", "cleo", "Cleo"] {
        session.send(field + "\t")
        try await session.waitFor(field)
      }
      session.send(Home.password + "\r")
      try await session.waitForTabs(of: "cleo")
      session.send("ZZ")
      #expect(try await session.waitForExit() == .exited(0))
      try await eventually("the newcomer's folder is gone") { host.guestFiles.isEmpty }
      #expect(try await cleo.ssh([], "whoami", "--json").json()["username"] == "cleo")
    }

    @Test func `whoever goes away leaves nothing running, and finds screen and draft again`()
      async throws
    {
      let host = try await SSHHost()
      let ana = try await host.guest("ana")
      let session = try await ana.open()
      try await session.waitUntilLive()
      session.send("2")
      try await session.waitFor("Nearby")
      session.send("c")
      try await session.waitFor("New mission")
      session.send("Lanterns")
      try await session.waitFor("Lanterns")
      #expect(host.sessions.isEmpty == false)
      // The client dies; its end of the connection is gone.
      session.signal(SIGKILL)
      try await eventually("the guest's processes end") { host.sessions.isEmpty }

      let again = try await ana.open()
      // Within a minute it is the same tab.
      try await again.waitFor("Nearby")
      again.send("c")
      try await again.waitFor("Lanterns")
      // The guest's own process dies.
      for process in host.sessions { kill(process, SIGKILL) }
      _ = try await again.waitForExit()
      #expect(try await ana.ssh([], "whoami").succeeded)
      #expect(host.serves)
    }
  }
}
