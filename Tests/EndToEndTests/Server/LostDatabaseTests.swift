import Foundation
import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

extension EndToEnd {
  /// PostgreSQL goes away for a while, below a server with people at their screens.
  @Suite struct LostDatabaseTests {
    @Test
    func `without it what is known is read, changes are refused or wait, and then all is well`()
      async throws
    {
      let postgres = try PostgresFixture.shared.get()
      let proxy = try await FaultProxy([.unixSocket(postgres.socket)])
      let server = try ServerProcess()
      try await server.start(
        "--database", postgres.address(postgres.database(), through: proxy).description)
      let announcement = try #require(await server.announcement)
      func home(_ username: String, _ name: String) async throws -> Home {
        let home = try Home(flags: ["--server", announcement.url, "--key", announcement.key])
        try await home.signUp(username, displayName: name)
        return home
      }
      let (ana, bob) = (try await home("ana", "Ana Pereira"), try await home("bob", "Bob Stone"))
      try await ana.must("friends", "add", "bob")
      try await bob.must("friends", "accept", "ana")
      try await ana.must("location", "set", "38.7,-9.1")
      try await ana.must(
        "missions", "new", "--title", "Tiles", "--at", "38.7,-9.1", "--objective", "Red door",
        "--objective", "Blue door")
      let screen = try await ana.open()
      let other = try await bob.open()
      for (session, name) in [(screen, "Bob Stone"), (other, "Ana Pereira")] {
        try await session.waitUntilLive()
        try await session.waitFor("● \(name)")
      }
      screen.send("2")
      try await screen.waitFor("Tiles")
      screen.send("3")
      try await screen.waitFor("● Bob Stone")

      proxy.begin(.away)
      screen.send("x")
      try await screen.waitFor("Unfriend Bob Stone?")
      screen.send("y")
      try await screen.waitFor("Bob Stone is still your friend", "database cannot be reached")
      try await screen.waitFor("● Bob Stone")
      screen.send(.escape)
      try await screen.waitForAbsence(of: "still your friend")
      screen.send("2")
      try await screen.waitFor("Tiles")
      screen.send(.enter)
      try await screen.waitFor("▸ Red door")
      screen.send(.enter)
      try await screen.waitFor("1 check-in queued", "Red door, queued")
      // Who comes now reads what was known.
      other.send("q")
      #expect(try await other.waitForExit() == .exited(0))
      let late = try await bob.open()
      try await late.waitFor("Ana Pereira", "as of")
      let verb = try await bob.rally("friends", "list")
      #expect(verb.status == .exited(5))
      #expect(verb.errors.contains("database cannot be reached"))

      proxy.heal()
      // Nobody does anything for it.
      try await screen.waitUntil("the check-in was sent") {
        $0.contains("1/2") && !$0.contains("queued")
      }
      try await late.waitUntilLive()
      try await late.waitUntil("Ana as a friend who is online") {
        $0.contains("● Ana Pereira") && !$0.contains("as of")
      }
      screen.send("3x")
      try await screen.waitFor("Unfriend Bob Stone?")
      screen.send("y")
      try await late.waitFor("Nobody here yet")
      for session in [screen, late] {
        session.send("q")
        #expect(try await session.waitForExit() == .exited(0))
      }
      #expect(try await server.terminate() == .exited(0))
    }
  }
}
