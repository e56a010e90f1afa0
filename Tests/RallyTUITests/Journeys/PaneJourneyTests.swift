import RallyDomain
import RallyTestSupport
import RallyTUI
import RallyWire
import Testing

@testable import TerminalKit

/// Panes that a person makes wider with the mouse, also for the next time.
@Suite struct PaneJourneyTests {
  @Test func `the line between the panes is dragged and found so after a restart`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await ana.friend("bob", on: server)
      ana.drag("│ bob", to: 38)
      #expect(ana.screen.position(of: "│ bob")?.x == 38)
      // Another tab has its own width.
      ana.screen.press("1")
      let map = try #require(ana.screen.position(of: "│ On the map")?.x)
      ana.drag("│ On the map", to: map + 2)
      #expect(ana.screen.position(of: "│ On the map")?.x == map + 2)

      let isKept = await eventually {
        await ana.start()
        await ana.screen.waitFor("│ bob")
        return ana.screen.position(of: "│ bob")?.x == 38
      }
      #expect(isKept)
      ana.screen.press("1")
      #expect(ana.screen.position(of: "│ On the map")?.x == map + 2)
    }
  }

  @Test func `a page that covers its list says first how to leave it`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: Size(width: 60, height: 16))
      _ = try await ana.friend("bob", on: server)
      #expect(!ana.screen.contains("Esc back"))
      ana.screen.press("Enter")
      await ana.screen.waitFor(" Esc back ")
      // The first one may take the news away that bob is a friend.
      ana.screen.press("Esc Esc")
      await ana.screen.waitUntil { !ana.screen.contains("Esc back") }
      await ana.close()
    }
  }

  @Test func `moving the selection builds the two rows that change, and offers the same actions`()
    async throws
  {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server)
      dario.screen.press("g g j")
      await dario.screen.waitUntilIdle()
      // What the server tells meanwhile builds rows too.
      var (built, offered): ([Int], [Int]) = ([], [])
      for key in ["j", "k", "j", "k", "j", "k"] {
        let (rows, offers) = (dario.screen.graph.builtRows, dario.screen.graph.offers)
        dario.screen.press(key)
        await dario.screen.waitUntilIdle()
        built.append(dario.screen.graph.builtRows - rows)
        offered.append(dario.screen.graph.offers - offers)
      }
      #expect(built.min() == 2)
      #expect(offered.min() == 0)
      await dario.close()
    }
  }
}

extension Journey {
  /// Drags the line that a text begins with to a column, in two steps.
  fileprivate func drag(
    _ text: String, to column: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let line = screen.position(of: text) else {
      Issue.record("nothing shows “\(text)”:\n\(screen.text)", sourceLocation: sourceLocation)
      return
    }
    for (kind, x) in [
      (MouseEvent.Kind.press, line.x), (.drag, column + 2), (.drag, column), (.release, column),
    ] {
      screen.terminal.send([.mouse(MouseEvent(kind: kind, position: Point(x: x, y: line.y)))])
    }
  }
}
