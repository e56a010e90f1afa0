import Foundation
import RallyTestSupport
import RallyText
import Testing

extension EndToEnd {
  @Suite struct EmbeddedServerTests {
    /// Ends what a test started in the background.
    private func end(_ home: Home) { for server in home.servers { kill(server, SIGKILL) } }

    @Test func `an account is made without an address and without a server`() async throws {
      let home = try Home()
      defer { end(home) }
      try await home.must(
        "signup", "--username", "ana", "--password-stdin", input: Home.password + "\n")
      #expect(try await home.must("whoami", "--json").json()["username"] == "ana")
      let servers = home.servers
      #expect(servers.count == 1)
      // It stays, and a folder that is busy cannot be unmounted.
      for server in servers {
        #expect(
          try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(server)/cwd") == "/")
      }
    }

    @Test func `two who start at once share one server, fifty times`() async throws {
      let home = try Home()
      defer { end(home) }
      let (ana, bob) = (home.profile("ana"), home.profile("bob"))
      async let first = ana.signUp("ana")
      async let second = bob.signUp("bob")
      _ = try await (first, second)
      #expect(home.servers.count == 1)
      try await ana.must("friends", "add", "bob")
      try await bob.must("friends", "accept", "ana")

      for round in 2...50 {
        for server in home.servers { kill(server, round % 2 == 0 ? SIGKILL : SIGTERM) }

        async let one = ana.must("friends", "list", "--json")
        async let other = bob.must("friends", "list", "--json")

        #expect(try await one.json().array?.map { $0["username"] } == ["bob"])
        #expect(try await other.json().array?.map { $0["username"] } == ["ana"])
        try await eventually("one server in round \(round)") { home.servers.count == 1 }
      }
    }

    @Test func `a killed server loses nothing that was acknowledged`() async throws {
      let home = try Home()
      defer { end(home) }
      let ana = home.profile("ana")
      try await ana.signUp("ana")
      for number in 1...5 {
        try await home.profile("p\(number)").signUp("person\(number)")
        try await ana.must("friends", "add", "person\(number)")
        let server = try #require(home.servers.first)
        kill(server, SIGKILL)

        let requests = try await ana.must("friends", "requests", "--outgoing", "--json").json()

        #expect(requests.array?.count == number)
        #expect(home.servers != [server])
      }
    }

    @Test func `the server ends after its last client`() async throws {
      let home = try Home()
      defer { end(home) }
      try await home.signUp("ana")
      #expect(home.servers.count == 1)
      let before = ContinuousClock.now
      try await eventually("the server's end") { home.servers.isEmpty }
      #expect(
        ContinuousClock.now - before > .seconds(5), "so soon would be no use to the next verb")
      let left = home.folder.contents.filter { $0.hasPrefix("run/") && $0.hasSuffix(".sock") }
      #expect(left == [])
      #expect(try await home.must("whoami", "--json").json()["username"] == "ana")
    }

    @Test func `the server's socket and data are private`() async throws {
      let home = try Home()
      defer { end(home) }
      try await home.signUp("ana")
      let exposed = home.folder.contents.filter { name in
        name.contains("/") && (home.folder.permissions(of: name) ?? 0) & 0o077 != 0
      }
      #expect(exposed == [])
    }

    @Test func `a client that ends by a signal leaves the server to the others`() async throws {
      let home = try Home()
      defer { end(home) }
      let ana = home.profile("ana")
      try await ana.signUp("ana")
      let server = try #require(home.servers.first)
      let session = try await ana.open()
      try await session.waitFor("Friends")
      session.signal(SIGKILL)
      try await session.waitForExit()
      try await ana.must("friends", "list")
      #expect(home.servers == [server])
    }
  }
}
