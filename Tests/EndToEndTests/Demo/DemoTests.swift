import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// The demo in the real program: everything of it is there at once, and nothing of it afterwards.
  @Suite struct DemoTests {
    /// Starts `rally demo` and waits for the map with friends on it.
    private func demo(_ home: Home) async throws -> PtySession {
      var home = home
      home.isFirstVisit = true
      let session = try await home.open("demo")
      try await session.waitFor("● live", "@dario", "demo", "On the map", "ana", "kenji")
      return session
    }

    private func waitForNothingLeft(of home: Home) async throws {
      try await eventually("the end of the demo's process") { home.demoProcesses.isEmpty }
      try await eventually("the end of the demo's folder") { home.demoFolders.isEmpty }
    }

    @Test func `rally demo shows friends on the map and leaves nothing behind`() async throws {
      let home = try Home()
      let session = try await demo(home)
      #expect(home.demoProcesses.count == 1)
      #expect(home.demoFolders.count == 1)
      try await session.waitFor("Your friends are on the map")
      // The streets of Monaco came with the program.
      try await session.waitFor("La Condamine", "© OpenStreetMap")
      session.send("3")
      try await session.waitFor("@tomas", "Requests for you (1)")

      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
      // By the time that the program has ended everything is gone.
      #expect(home.demoProcesses == [] && home.demoFolders == [])
      #expect(home.kept == [])
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGKILL])
    func `however the program ends, its world ends too`(_ signal: Int32) async throws {
      let home = try Home()
      let session = try await demo(home)
      session.signal(signal)
      _ = try await session.waitForExit()
      try await waitForNothingLeft(of: home)
      #expect(home.kept == [])
    }

    @Test func `a world that was killed leaves a folder that the next start removes`()
      async throws
    {
      let home = try Home()
      defer { for server in home.servers { kill(server, SIGKILL) } }
      let session = try await demo(home)
      for process in home.demoProcesses { kill(process, SIGKILL) }
      session.signal(SIGKILL)
      _ = try await session.waitForExit()
      try await eventually("the end of the demo's process") { home.demoProcesses.isEmpty }
      #expect(home.demoFolders.count == 1)

      let next = try await home.open()
      try await next.waitFor("New account")
      try await eventually("the end of the demo's folder") { home.demoFolders.isEmpty }
    }

    @Test func `the sign-in screen leads into the demo and back`() async throws {
      let home = try Home()
      defer { for server in home.servers { kill(server, SIGKILL) } }
      let session = try await home.open()
      try await session.waitFor("New account", "^O look around")
      session.send(.control("o"))
      try await session.waitFor("● live", "@dario", "demo", "On the map")

      session.send(":sign-out\r")
      try await session.waitFor("Leave the demo?", "Nothing of it is kept.")
      session.send("y")
      try await session.waitFor("New account", "^O look around")
      try await waitForNothingLeft(of: home)

      // A second visit begins anew, and Esc leads out as well.
      session.send(.control("o"))
      try await session.waitFor("● live", "@dario", "demo")
      session.send(.escape)
      try await session.waitFor("Leave the demo?")
      session.send("y")
      try await session.waitFor("New account")
      session.send(.control("c"))
      session.send(.control("c"))
      #expect(try await session.waitForExit() == .exited(0))
      try await waitForNothingLeft(of: home)
    }

    @Test func `without a terminal it says so and starts nothing`() async throws {
      let home = try Home()
      let run = try await home.rally("demo")
      #expect(run.status == .exited(2))
      #expect(home.demoProcesses == [] && home.demoFolders == [])
    }
  }
}

extension Home {
  /// The processes of demos that belong to this machine's person.
  var demoProcesses: [pid_t] { processes(with: "demo-world") }

  var demoFolders: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.file("run/rally"))) ?? [])
      .filter { $0.hasPrefix("demo-") }
  }

  /// What a demo must not leave in the person's own folders.
  var kept: [String] {
    ["home", "config", "data", "state", "cache"].flatMap { name in
      FileManager.default.subpaths(atPath: folder.file(name)) ?? []
    }
  }
}
