import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// What the binary tells a person who looks at another window.
  @Suite struct NotificationTests {
    @Test func `a request is told once to somebody who looks elsewhere`() async throws {
      let served = try await ServedRally()
      let anaHome = try await served.home("ana")
      let session = try await anaHome.open(adding: ["VTE_VERSION": "7200"])
      try await session.waitUntilLive()
      // What the first fetch brings is not announced.
      try await session.waitFor("Nobody here yet")
      // Seen on the Friends tab, so nothing is told.
      try await served.home("bob").must("friends", "add", "ana")
      try await session.waitFor("Requests for you (1)")

      session.send("\u{1B}[O")
      try await served.home("cleo").must("friends", "add", "ana")
      try await eventually("that Ana is told") { notifications(session).count > 0 }
      // Read again, and still one.
      session.send("\u{1B}[I")
      session.send("1")
      try await session.waitUntil("the map") { $0.lines[0].contains("▐1 Map▌") }
      #expect(notifications(session) == ["Rally;@cleo wants to be friends."])
      #expect(session.screen.bells == 0)
    }

    @Test func `the window's title counts, and is given back whatever ends the program`()
      async throws
    {
      let served = try await ServedRally()
      let anaHome = try await served.home("ana")
      for number in [nil, SIGTERM, SIGSEGV] {
        let session = try await anaHome.open()
        try await session.waitUntil("the program's title") { $0.title.hasPrefix("Rally") }
        if number == nil {
          try await served.home("bob").must("friends", "add", "ana")
          try await session.waitUntil("a title with a count") { $0.title == "Rally · 1 request" }
        }
        if let number { session.signal(number) } else { session.send("q") }
        _ = try await session.waitForExit()
        #expect(session.leftBehind == [])
        #expect(session.screen.title.isEmpty)
      }
    }

    @Test func `the configuration switches the title and the loudness while it runs`()
      async throws
    {
      let served = try await ServedRally()
      let anaHome = try await served.home("ana")
      let folder = anaHome.folder.file("config/rally")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let session = try await anaHome.open(adding: ["VTE_VERSION": "7200"])
      try await session.waitUntilLive()
      try await session.waitUntil("the program's title") { $0.title == "Rally" }
      try await session.waitFor("Nobody here yet")

      try """
      [interface]
      title = false
      [notifications]
      requests = "bell"
      """.write(toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
      try await session.waitFor("The configuration was read again.")
      try await session.waitUntil("the former title") { $0.title.isEmpty }
      session.send("\u{1B}[O")
      try await served.home("bob").must("friends", "add", "ana")
      try await session.waitUntil("the bell") { $0.bells == 1 }
      #expect(notifications(session).isEmpty)
    }

    private func notifications(_ session: PtySession) -> [String] {
      let output = String(decoding: session.snapshot.output, as: UTF8.self)
      return output.components(separatedBy: "\u{1b}]777;notify;").dropFirst()
        .compactMap { $0.components(separatedBy: "\u{1b}\\").first }
    }
  }
}
