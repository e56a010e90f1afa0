import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct FirstMinuteTests {
    @Test func `an account on this machine takes two keys beside what is typed`() async throws {
      var home = try Home()
      home.isFirstVisit = true
      defer { for server in home.servers { kill(server, SIGKILL) } }
      let session = try await home.open()
      try await session.waitFor("New account", "this machine", "Username", "Password")

      var count = 0
      for (field, typed) in [("▸ Username", "ana"), ("▸ Password", Home.password)] {
        try await session.waitFor(field)
        session.send(typed)
        session.send(.enter)
        count += 1
      }

      try await session.waitForTabs(of: "ana")
      #expect(count == 2)
      try await session.waitFor(
        "Three steps to begin with", ". say where you are", "i bring in a friend",
        "p decide what they see")
      try await session.waitUntilLive()
      #expect(!session.screen.contains(Home.password))
      #expect(try await home.must("whoami", "--json").json()["username"] == "ana")

      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }

    @Test(arguments: [(80, 24), (40, 12)])
    func `without a network the first screen says so, and what goes all the same`(
      columns: Int, rows: Int
    ) async throws {
      var home = try Home()
      home.isFirstVisit = true
      let folder = home.folder.file("config/rally")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // Stands for a machine without any: its own is the test's as well.
      try "[policy]\nnetwork = \"off\"\n".write(
        toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
      let session = try await home.open(
        rows: rows, columns: columns,
        adding: ["RALLY_SERVER": "https://rally.example.org", "RALLY_KEY": "key"])
      try await session.waitFor("New account", "There is no network", "^T takes this machine")
      session.send("\u{3}\u{3}")
      try await session.waitForExit()
    }

    @Test(arguments: [(80, 24), (60, 16), (40, 20)])
    func `over SSH the first screen says on which machine the session is kept`(
      columns: Int, rows: Int
    ) async throws {
      var home = try Home()
      home.isFirstVisit = true
      let session = try await home.open(
        rows: rows, columns: columns, adding: ["SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"])
      try await session.waitFor("New account", "Over SSH on ", "read.", "Have one? ^N")
      #expect(!session.screen.contains("…"), "nothing is cut")
      session.send("\u{3}\u{3}")
      try await session.waitForExit()
    }

    @Test func `over SSH that is said in few words on the smallest terminal`() async throws {
      var home = try Home()
      home.isFirstVisit = true
      let session = try await home.open(
        rows: 12, columns: 40, adding: ["SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"])
      try await session.waitFor("New account", "Over SSH on ", "there.", "Have one? ^N")
      session.send("\u{3}\u{3}")
      try await session.waitForExit()
    }

    @Test func `a home in which nothing can be made is named, with what to do`() async throws {
      var home = try Home()
      home.isFirstVisit = true
      // A file where a folder has to be: this holds for root as well.
      let session = try await home.open(adding: ["XDG_STATE_HOME": "/dev/null"])
      #expect(try await session.waitForExit() == .exited(1))
      #expect(session.screen.contains("/dev/null/rally"))
      #expect(session.screen.contains("--data"))
      #expect(session.leftBehind == [])
    }

    @Test func `the tab that was seen last is the first of the next start`() async throws {
      let served = try await ServedRally()
      var home = try await served.home("ana")
      home.isFirstVisit = true
      let first = try await home.open()
      try await first.waitFor("Three steps to begin with")
      first.send("2")
      try await first.waitFor("Nearby")
      first.send(":q\r")
      try await first.waitForExit()

      let second = try await home.open()
      try await second.waitFor("Nearby")
      #expect(!second.screen.contains("Three steps to begin with"))
      second.send("1")
      try await second.waitFor("Three steps to begin with")
    }

    @Test func `what cannot be accepted is said on the field, and nothing typed is lost`()
      async throws
    {
      let home = try Home()
      defer { for server in home.servers { kill(server, SIGKILL) } }
      let session = try await home.open()
      try await session.waitFor("New account")
      session.send("a b")
      session.send(.enter)
      try await session.waitFor("▸ Password")
      session.send("short")
      session.send(.enter)
      try await session.waitFor("without", "spaces", "▸ Username  a b")
    }

    @Test func `a wrong password is one sentence on the form`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      try await home.must("logout")
      let session = try await home.open()
      try await session.waitFor("Sign in", "E-mail", served.announcement.url)
      session.send("ana@example.org")
      session.send(.enter)
      try await session.waitFor("▸ Password")
      session.send("not the password")
      session.send(.enter)
      try await session.waitFor("! ", "▸ Password")
      session.send(.control("u"))
      session.send(Home.password)
      session.send(.enter)
      try await session.waitForTabs(of: "ana")
    }

    @Test func `a second start shows what was seen last`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob", displayName: "Bob Stone")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      let first = try await ana.open()
      try await first.waitFor("Bob Stone")
      first.send("q")
      try await first.waitForExit()

      served.command.signal(SIGSTOP)
      defer { served.command.signal(SIGCONT) }
      let second = try await ana.open()

      try await second.waitFor("Bob Stone", "@bob")
      second.send("q")
      #expect(try await second.waitForExit() == .exited(0))
    }

    @Test func `signing out asks, and comes back to the form`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.open()
      try await session.waitForTabs(of: "ana")
      session.send(":sign-out\r")
      try await session.waitFor("Sign out?")
      session.send("y")
      try await session.waitFor("Sign in", "Password")
      #expect(try await home.rally("whoami").status == .exited(3))
    }
  }
}
