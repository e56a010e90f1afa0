import RallyDomain
import RallyTestSupport
import RallyTUI
import RallyWire
import TerminalKit
import Testing

/// Panes that a person makes wider, also for the next time.
@Suite @MainActor struct PaneJourneyTests {
  @Test func `a pane is made wider with a key and found so after a restart`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await ana.friend("bob", on: server)
      let rule = try #require(ana.screen.position(of: "│ bob")?.x)

      ana.screen.press("< < < >")
      #expect(ana.screen.position(of: "│ bob")?.x == rule - 4)
      // Another tab has its own width.
      ana.screen.press("1")
      let map = try #require(ana.screen.position(of: "│ On the map")?.x)
      ana.screen.press(">")
      #expect(ana.screen.position(of: "│ On the map")?.x == map + 2)

      let isKept = await eventually {
        await ana.start()
        await ana.screen.waitFor("│ bob")
        return ana.screen.position(of: "│ bob")?.x == rule - 4
      }
      #expect(isKept)
      ana.screen.press("1")
      #expect(ana.screen.position(of: "│ On the map")?.x == map + 2)

      // The line can be dragged, and the panes change sides.
      ana.screen.press("3")
      await ana.screen.waitFor("│ bob")
      let line = try #require(ana.screen.position(of: "│ bob"))
      for (kind, x) in [(MouseEvent.Kind.press, line.x), (.drag, 40), (.drag, 38), (.release, 38)] {
        ana.screen.terminal.send([
          .mouse(MouseEvent(kind: kind, position: Point(x: x, y: line.y)))
        ])
      }
      #expect(ana.screen.position(of: "│ bob")?.x == 38)
      ana.screen.press("|")
      #expect(ana.screen.position(of: " bob ") == Point(x: 0, y: line.y))
      await ana.screen.waitUntil { ana.screen.position(of: "│▸")?.x == 41 }

      ana.screen.resize(to: Size(width: 60, height: 16))
      ana.screen.press("3 <")
      await ana.screen.waitFor("There is room for one pane only.")
    }
  }
}
