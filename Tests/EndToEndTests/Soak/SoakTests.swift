import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// The real program under a storm of input from fixed seeds, on an account with people and missions.
  ///
  /// `make soak` runs it for minutes; in `make test` it is short.
  @Suite struct SoakTests {
    static let seconds =
      ProcessInfo.processInfo.environment["RALLY_SOAK_SECONDS"].flatMap(Int.init) ?? 10
    static let seeds =
      ProcessInfo.processInfo.environment["RALLY_SOAK_SEEDS"]?.split(separator: ",")
      .compactMap { UInt64($0) } ?? [1]

    /// After so many passes of the same input memory has to have settled.
    private static let passLimit = 8

    /// An editor that changes nothing, where a key asks for one.
    private static let variables = ["EDITOR": "true", "VISUAL": "true"]

    @Test(arguments: seeds)
    func `nothing that is typed, clicked or pasted stops it or makes it grow`(seed: UInt64)
      async throws
    {
      let served = try await ServedRally()
      let home = try await Self.populated(on: served)
      var session = try await home.open(adding: Self.variables)
      try await session.waitUntilLive()
      session.send("m")
      // The same input again and again: what is only filled once has been after some passes.
      var mostPages: [Int] = []
      var rounds = 0
      repeat {
        let pass = mostPages.count
        var script = SoakScript(seed: seed)
        let end = ContinuousClock.now + .seconds(Self.seconds) / 3
        var round = 0
        var pages = 0
        while pass == 0 ? ContinuousClock.now < end : round < rounds {
          round += 1
          for _ in 0..<40 { session.send(script.next()) }
          if try await answers(session, script.size(), "seed \(seed), \(pass).\(round)") {
            pages = max(pages, Self.residentPages(of: session.processID) ?? 0)
            continue
          }
          // It was left by a key that does so: with everything given back, and opened again.
          #expect(session.leftBehind == [])
          session = try await home.open(adding: Self.variables)
          try await session.waitUntil("the screen again") {
            $0.contains("RALLY") || $0.contains("Sign in")
          }
          session.send("m")
        }
        rounds = round
        mostPages.append(pages)
      } while !Self.hasSettled(mostPages) && mostPages.count < Self.passLimit
      #expect(rounds > 0)
      #expect(Self.hasSettled(mostPages), "\(mostPages)")
      session.resize(rows: 24, columns: 80)
      session.signal(SIGTERM)
      // A key that was typed before may have ended it already.
      let ended = try await session.waitForExit()
      #expect(
        ended == .signalled(SIGTERM) || ended == .exited(0),
        "\(ended): \(Self.lastOutput(of: session))")
      #expect(session.leftBehind == [])
    }

    /// Whether the last pass needed at most a tenth more than the most before it, after three passes.
    private static func hasSettled(_ mostPages: [Int]) -> Bool {
      guard mostPages.count >= 3, let most = mostPages.dropLast().max() else { return false }
      return mostPages[mostPages.count - 1] <= most * 11 / 10
    }

    /// What the program said of its end stands before all that was typed after it.
    private static func lastOutput(of session: PtySession) -> String {
      String(decoding: session.snapshot.output, as: UTF8.self).suffix(1500).debugDescription
    }

    /// Sees that the program still reads and draws: with a window of another size it draws everything anew.
    ///
    /// - Returns: False when it has ended as it should.
    private func answers(
      _ session: PtySession, _ size: (rows: Int, columns: Int), _ place: String
    ) async throws -> Bool {
      // Ends whatever was begun: a paste, an answer, a sequence.
      session.send("\u{1B}[201~\u{07}")
      let written = session.bytesWritten
      session.resize(rows: size.rows, columns: size.columns)
      try await eventually("a frame, at \(place)") {
        session.bytesWritten > written || session.snapshot.life != .running
      }
      switch session.snapshot.life {
      case .running: return true
      case .ended(.exited(0)):
        try await session.waitForExit()
        return false
      case let life: throw ProcessFailure("\(life) at \(place)\n\(Self.lastOutput(of: session))")
      }
    }

    private static func residentPages(of process: pid_t) -> Int? {
      let file = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
      return file?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    /// A machine of somebody with friends, requests in both directions, missions and a place on the map.
    private static func populated(on served: ServedRally) async throws -> Home {
      let home = try await served.home("ana", displayName: "Ana Pereira")
      let names = ["👨‍👩‍👧 Ж漢字", "Bob Stone", "e\u{301}mile 🇵🇹", "क्षि", "Dario"]
      for (index, name) in names.enumerated() {
        let other = try await served.home("friend\(index)", displayName: name)
        switch index {
        case 0...2: try await served.befriend(home, other, named: ("ana", "friend\(index)"))
        case 3: try await other.must("friends", "add", "ana")
        default: try await home.must("friends", "add", "friend\(index)")
        }
      }
      try await home.must("location", "set", "Lisbon")
      for title in ["Night walk 🎉", "漢字 trail"] {
        try await home.must("missions", "new", "--title", title, "--at", "Lisbon")
      }
      return home
    }
  }
}
