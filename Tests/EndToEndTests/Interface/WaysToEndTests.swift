import Foundation
import RallyTestSupport
import RallyText
import Testing

extension EndToEnd {
  /// However the program ends, the terminal is as it was.
  @Suite struct WaysToEndTests {
    struct Way: CustomTestStringConvertible, Sendable {
      var name: String
      var status: [ProcessEnd]
      var act: @Sendable (PtySession) async throws -> Void

      var testDescription: String { name }

      static func signal(_ number: Int32, _ name: String, _ status: ProcessEnd...) -> Way {
        Way(name: name, status: status) { $0.signal(number) }
      }
    }

    static let ways: [Way] = [
      Way(name: "q", status: [.exited(0)]) { $0.send("q") },
      Way(name: ":q", status: [.exited(0)]) { $0.send(":q\r") },
      Way(name: "ZZ", status: [.exited(0)]) { $0.send("ZZ") },
      Way(name: "^C twice", status: [.exited(0), .exited(130), .signalled(SIGINT)]) { session in
        session.send(.control("c"))
        try await session.waitFor("once more to quit")
        session.send(.control("c"))
      },
      .signal(SIGINT, "INT", .signalled(SIGINT), .exited(130)),
      .signal(SIGTERM, "TERM", .signalled(SIGTERM)),
      .signal(SIGHUP, "HUP", .signalled(SIGHUP)),
      .signal(SIGQUIT, "QUIT", .signalled(SIGQUIT), .exited(131)),
      .signal(SIGSEGV, "SEGV", .signalled(SIGSEGV)),
      .signal(SIGBUS, "BUS", .signalled(SIGBUS)),
      .signal(SIGABRT, "ABRT", .signalled(SIGABRT)),
      .signal(SIGILL, "ILL", .signalled(SIGILL)),
      .signal(SIGTRAP, "TRAP", .signalled(SIGTRAP)),
      .signal(SIGFPE, "FPE", .signalled(SIGFPE)),
      .signal(SIGUSR1, "USR1", .signalled(SIGUSR1)),
      .signal(SIGALRM, "ALRM", .signalled(SIGALRM)),
      .signal(SIGXCPU, "XCPU", .signalled(SIGXCPU)),
      .signal(SIGPWR, "PWR", .signalled(SIGPWR)),
      .signal(SIGSYS, "SYS", .signalled(SIGSYS)),
      .signal(SIGRTMIN8, "RTMIN+8", .signalled(SIGRTMIN8)),
    ]

    /// What bars are told to show something anew with.
    private static let SIGRTMIN8 = __libc_current_sigrtmin() + 8

    @Test(arguments: ways)
    func `the terminal is given back`(way: Way) async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      #expect(session.screen.isAlternate)
      #expect(session.settings != session.initialSettings)

      try await way.act(session)

      let status = try await session.waitForExit()
      #expect(way.status.contains(status), "\(status)")
      #expect(session.leftBehind == [])
    }

    /// A terminal with kitty's keys has a stack of them for each screen.
    @Test(arguments: ways.filter { ["q", "TERM", "SEGV"].contains($0.name) })
    func `kitty's keys are given back too, and work before`(way: Way) async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      session.send("\u{1B}[?0u")
      try await session.waitUntil("the keys") { $0.keyFlags == [true: [5]] }
      // ? and Esc, each with its release, one of them with the lock of numbers on.
      session.send("\u{1B}[63;1:1u\u{1B}[63;1:3u")
      try await session.waitFor("Keys of this screen")
      session.send("\u{1B}[27;129u\u{1B}[27;129:3u")
      try await session.waitForAbsence(of: "Keys of this screen")
      session.send(.control("z"))
      try await session.waitForStop()
      #expect(session.leftBehind == [])
      session.continueInForeground()
      try await session.waitUntil("the keys again") { $0.keyFlags[true] == [5] }

      try await way.act(session)

      let status = try await session.waitForExit()
      #expect(way.status.contains(status), "\(status)")
      #expect(session.leftBehind == [])
    }

    @Test func `quitting asks while a link is fed here alone, and every way out ends it`()
      async throws
    {
      let served = try await ServedRally(securelyWith: try await TestAuthority())
      let ana = try served.stranger()
      try await ana.must(
        "signup", "--username", "ana", "--display-name", "Ana", "--invitation",
        served.firstLink(), "--password-stdin", input: Home.password + "\n")
      try await ana.must("location", "set", "Lisbon")
      for keys in ["q", ":q\r"] {
        let session = try await ana.open()
        try await session.waitUntilLive()
        session.send(":link 1h\r")
        try await session.waitFor("Links for browsers")
        try await session.waitFor("/w#")
        session.send("\u{1B}")
        try await session.waitForAbsence(of: "Links for browsers")
        #expect(try await ana.must("location", "link", "list", "--json").json().array?.count == 1)
        session.send(keys)
        if keys == "q" {
          try await session.waitFor("Quit Rally?")
          session.send("y")
        }
        #expect(try await session.waitForExit() == .exited(0))
        #expect(try await ana.must("location", "link", "list", "--json").json() == [])
      }
    }

    @Test func `a limit of the size of files ends nothing`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      session.signal(SIGXFSZ)
      session.send("?")
      try await session.waitFor("Keys of this screen")
    }

    @Test func `a signal that meets the sign-in form gives the terminal back as well`()
      async throws
    {
      let session = try await Home().open()
      try await session.waitFor("New account")
      session.signal(SIGTERM)
      try await session.waitForExit()
      #expect(session.leftBehind == [])
    }

    @Test func `a signal that comes while the interface starts ends the program`() async throws {
      // Which moment of the start it meets differs: without a handler half of them were lost.
      for _ in 0..<12 {
        let session = try await Home().open()
        try await session.waitUntil("its first bytes") { $0.isAlternate }
        session.signal(SIGTERM)
        let status = try await session.waitForExit()
        #expect(status == .signalled(SIGTERM))
        #expect(session.leftBehind == [])
      }
    }

    @Test func `a closed window ends the program`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      session.hangUp()
      let status = try await session.waitForExit()
      #expect(status == .signalled(SIGHUP))
    }
  }
}
