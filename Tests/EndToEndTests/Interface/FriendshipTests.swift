import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// Two binaries, two terminals, one friendship, live.
  @Suite struct FriendshipTests {
    @Test func `a request, its answer and presence are seen at once on both screens`()
      async throws
    {
      let served = try await ServedRally()
      let anaHome = try await served.home("ana", displayName: "Ana Pereira")
      let bobHome = try await served.home("bob", displayName: "Bob Stone")
      let ana = try await anaHome.open()
      let bob = try await bobHome.open()
      try await ana.waitUntilLive()
      try await bob.waitUntilLive()

      ana.send("c")
      try await ana.waitFor("Find")
      ana.send("bob")
      try await ana.waitFor("Bob Stone")
      ana.send(.enter)
      try await bob.waitFor("Requests for you (1)", "Ana Pereira", "3 Friends·1")

      bob.send("a")
      try await bob.waitFor("Accept")
      bob.send("y")
      try await bob.waitUntil("Ana as a friend who is online") {
        $0.contains("Online (1)") && $0.contains("● Ana Pereira")
      }
      // The first one clears the name.
      ana.send(.escape)
      try await ana.waitFor("a name or a username")
      ana.send(.escape)
      try await ana.waitUntil("Bob as a friend who is online") {
        $0.contains("Online (1)") && $0.contains("● Bob Stone")
      }

      bob.send("q")
      #expect(try await bob.waitForExit() == .exited(0))
      try await ana.waitUntil("Bob as a friend who is away") {
        $0.contains("Friends (1)") && $0.contains("○ Bob Stone")
      }
      ana.send("q")
      #expect(try await ana.waitForExit() == .exited(0))
      #expect(ana.leftBehind == [])
      #expect(bob.leftBehind == [])
    }

    @Test func `unfriending asks first, and is seen by the other`() async throws {
      let served = try await ServedRally()
      let anaHome = try await served.home("ana", displayName: "Ana Pereira")
      let bobHome = try await served.home("bob", displayName: "Bob Stone")
      try await served.befriend(anaHome, bobHome, named: ("ana", "bob"))
      let ana = try await anaHome.open()
      let bob = try await bobHome.open()
      try await ana.waitFor("● Bob Stone")
      try await bob.waitFor("● Ana Pereira")

      ana.send("x")
      try await ana.waitFor("Unfriend Bob Stone?", "Keep")
      ana.send(.escape)
      try await ana.waitForAbsence(of: "Unfriend Bob Stone?")
      ana.send("x")
      try await ana.waitFor("Unfriend Bob Stone?")
      #expect(try await anaHome.must("friends", "list", "--json").json().array?.count == 1)
      ana.send("y")

      try await ana.waitFor("Nobody here yet")
      try await bob.waitFor("Nobody here yet")
    }

    @Test func `the filter narrows the list as one types`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      for (username, name) in [("bob", "Bob Stone"), ("kenji", "田中 健司"), ("lu", "Lucía Gómez")] {
        let other = try await served.home(username == "lu" ? "lucia" : username, displayName: name)
        try await served.befriend(
          ana, other, named: ("ana", username == "lu" ? "lucia" : username))
      }
      let session = try await ana.open()
      try await session.waitFor("Bob Stone", "田中 健司", "Lucía Gómez")
      session.send("/")
      session.send("健")
      try await session.waitUntil("only 田中 健司") {
        $0.contains("田中 健司") && !$0.contains("Bob Stone") && !$0.contains("Lucía")
      }
      session.send(.backspace)
      session.send("st")
      try await session.waitUntil("only Bob") {
        $0.contains("Bob Stone") && !$0.contains("田中")
      }
      session.send(.escape)
      try await session.waitFor("Bob Stone", "田中 健司", "Lucía Gómez")
    }

    @Test func `help and the command line are a key away`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitForTabs(of: "ana")
      session.send("?")
      try await session.waitFor("Keys of this screen")
      session.send(.escape)
      try await session.waitForAbsence(of: "Keys of this screen")
      session.send(":poli")
      try await session.waitFor(":poli")
      session.send(.tab)
      try await session.waitFor(":policy")
      session.send(.enter)
      try await session.waitFor("Runtime policy", "low-power")
      session.send(.escape)
      try await session.waitForAbsence(of: "Runtime policy")
      session.send("1")
      try await session.waitUntil("the map") { $0.lines[0].contains("▐1 Map▌") }
      session.send("2")
      try await session.waitUntil("the missions") { $0.lines[0].contains("▐2 Missions▌") }
      session.send(":q\r")
      #expect(try await session.waitForExit() == .exited(0))
    }

    @Test func `a constrained device leaves the live channel and says why`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      session.send(":policy low-power on\r")
      try await session.waitUntil("the effect of low power") {
        $0.contains("CONSTRAINED") && $0.lines[0].contains("◐ polling 45s")
      }
      session.send(":policy auto\r")
      try await session.waitUntilLive()
    }

    @Test func `a server that comes back is found again`() async throws {
      let served = try await ServedRally()
      let anaHome = try await served.home("ana")
      let bobHome = try await served.home("bob", displayName: "Bob Stone")
      let session = try await anaHome.open()
      try await session.waitUntilLive()
      let port = try #require(URL(string: served.announcement.url)?.port)
      served.command.signal(SIGKILL)
      try await served.command.waitForExit()
      try await session.waitUntil("that the server is away") { $0.lines[0].contains("offline") }

      let again = try RunningCommand(
        RallyBinary.required(),
        [
          "serve", "--data", served.folder.file("server"), "--host", "127.0.0.1", "--port",
          "\(port)", "--json",
        ], environment: served.folder.environment)
      defer { again.signal(SIGKILL) }
      _ = try await again.firstLine()
      session.send("r")
      try await session.waitUntilLive()
      try await bobHome.must("friends", "add", "ana")
      try await session.waitFor("Bob Stone")
    }
  }
}
