import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct SuspensionTests {
    @Test func `control Z gives the terminal back and fg shows everything again`() async throws {
      let served = try await ServedRally()
      let anaHome = try await served.home("ana")
      let bobHome = try await served.home("bob", displayName: "Bob Stone")
      let session = try await anaHome.open()
      try await session.waitUntilLive()
      try await session.waitFor("Nobody here yet")

      session.send(.control("z"))
      try await session.waitForStop()
      #expect(session.leftBehind == [])
      try await bobHome.must("friends", "add", "ana")
      session.resize(rows: 30, columns: 100)

      session.continueInForeground()
      try await session.waitUntil("the request that came meanwhile, in the new size") {
        $0.rows == 30 && $0.contains("Bob Stone") && $0.lines[29].contains("? help")
      }
      #expect(session.screen.isAlternate)
      session.send("a")
      try await session.waitFor("Accept")
      session.send("y")
      try await session.waitFor("Friends (1)")
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }

    @Test func `control Z saves what was typed before it stops, and the trace shows both ways`()
      async throws
    {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.open()
      try await session.waitUntilLive()
      session.send("2c")
      try await session.waitFor("New mission", "Objectives")
      session.send("Night walk")
      try await session.waitFor("Night walk")
      session.send(.control("z"))
      try await session.waitForStop()
      #expect(home.folder.texts.contains { $0.contains("Night walk") })
      #expect(home.syncTrace.contains("save state"))
      #expect(!home.syncTrace.contains("refresh (foreground)"))

      session.continueInForeground()
      try await session.waitFor("Night walk")
      try await eventually("the way back in the trace") {
        home.syncTrace.suffix(2) == ["check link", "refresh (foreground)"]
      }
    }

    @Test
    func `a window that is looked at again checks the link, and asks for nothing while it is live`()
      async throws
    {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.open()
      try await session.waitUntilLive()
      session.send("\u{1B}[O\u{1B}[I")
      try await eventually("the focus in the trace") {
        home.syncTrace.suffix(2) == ["save state", "check link"]
      }
      #expect(!home.syncTrace.contains("refresh (foreground)"))
    }

    @Test func `below a script control Z stops the whole job, and fg continues it`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").openBelowShell()
      try await session.waitUntilLive()

      session.send(.control("z"))
      try await session.waitForStop()
      #expect(session.leftBehind == [])

      session.continueInForeground()
      try await session.waitUntil("the frame again") {
        $0.isAlternate && $0.lines[0].contains("3 Friends") && $0.lines[23].contains("? help")
      }
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
    }

    @Test func `where nobody would continue it control Z stops nothing`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let line = ([try RallyBinary.required()] + home.flags).map { "'\($0)'" }.joined(
        separator: " ")
      // The shell leads the session of a terminal of its own, and waits without job control, as below
      // `xterm -e` or `ssh -t host`.
      let session = try await PtySession(
        "script", ["-qec", "sh -c \"\(line); echo it came back\"", "/dev/null"],
        environment: home.environment.merging(["SHELL": "/bin/sh"]) { $1 }, keeping: home)
      try await session.waitUntilLive()
      let bells = session.screen.bells
      session.send(.control("z"))
      try await session.waitUntil("a bell") { $0.bells > bells }
      session.send("q")
      try await session.waitFor("it came back")
      #expect(try await session.waitForExit() == .exited(0))
    }

    @Test func `a stop from outside is survived as well`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      for _ in 1...3 {
        session.signal(SIGTSTP)
        try await session.waitForStop()
        #expect(session.leftBehind == [])
        session.continueInForeground()
        try await session.waitUntil("the frame again") {
          $0.isAlternate && $0.lines[0].contains("3 Friends") && $0.lines[23].contains("? help")
        }
      }
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }

    @Test func `on the embedded server a stopped or hung-up client leaves the other alive`()
      async throws
    {
      let home = try Home()
      defer { for server in home.servers { kill(server, SIGKILL) } }
      let (anaHome, bobHome) = (home.profile("ana"), home.profile("bob"))
      try await anaHome.signUp("ana", displayName: "Ana Pereira")
      try await bobHome.signUp("bob", displayName: "Bob Stone")
      let carolHome = home.profile("carol")
      try await carolHome.signUp("carol", displayName: "Carol Reed")
      let server = try #require(home.servers.first)
      let ana = try await anaHome.open()
      let bob = try await bobHome.open()
      try await ana.waitUntilLive()
      try await bob.waitUntilLive()

      ana.send(.control("z"))
      try await ana.waitForStop()
      try await carolHome.must("friends", "add", "bob")
      try await bob.waitFor("Carol Reed")
      bob.send("a")
      try await bob.waitFor("Accept")
      bob.send("y")
      try await bob.waitFor("Friends (1)")

      ana.continueInForeground()
      try await ana.waitUntilLive()
      bob.hangUp()
      try await bob.waitForExit()
      try await carolHome.must("friends", "add", "ana")
      try await ana.waitFor("Carol Reed")
      #expect(home.servers == [server])
    }

    @Test func `a killed embedded server is started again under the open interface`()
      async throws
    {
      let home = try Home()
      defer { for server in home.servers { kill(server, SIGKILL) } }
      let (anaHome, bobHome) = (home.profile("ana"), home.profile("bob"))
      try await anaHome.signUp("ana")
      try await bobHome.signUp("bob", displayName: "Bob Stone")
      let ana = try await anaHome.open()
      try await ana.waitUntilLive()
      let server = try #require(home.servers.first)
      kill(server, SIGKILL)

      try await bobHome.must("friends", "add", "ana")

      try await ana.waitFor("Bob Stone")
      try await ana.waitUntilLive()
      #expect(home.servers.count == 1)
    }
  }
}

extension Home {
  /// The directives of the program that runs on this home, the newest last.
  fileprivate var syncTrace: [String] {
    for name in folder.contents where name.hasSuffix("sync-trace.json") {
      guard let data = FileManager.default.contents(atPath: folder.file(name)),
        let entries = try? WireJSON.decode([JSONValue].self, from: data)
      else { continue }
      return entries.compactMap { $0["directive"]?.string }
    }
    return []
  }
}

extension TemporaryFolder {
  /// What stands in the files of the folder.
  fileprivate var texts: [String] {
    contents.compactMap { try? String(contentsOfFile: file($0), encoding: .utf8) }
  }
}
