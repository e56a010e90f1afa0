import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct SplitPanesTests {
  private func screen(names: String) -> TestScreen {
    TestScreen(
      size: Size(width: 20, height: 5),
      root: VStack(spacing: 0) {
        Rule()
        Text(names).frame(height: 1)
        SplitPanes(sideWidth: 7) {
          Text("list")
        } side: {
          Text("detail")
        }
        Rule()
      })
  }

  @Test func `the line between the panes meets the rules above and below, beside the names`() {
    #expect(
      screen(names: "All 2").picture == [
        "────────────┬───────", "All 2       │", "list        │detail", "            │",
        "────────────┴───────",
      ])
  }

  @Test func `names that reach as far as the line are not drawn over`() {
    #expect(screen(names: "All 2  Incoming 3").picture[1] == "All 2  Incoming 3")
  }

  @Test func `rules beside a painted area stand on its ground, those beside a list do not`() {
    let sea = Style(.fillSea, on: Backdrop(.fillLand, night: 3))
    let screen = TestScreen(
      size: Size(width: 8, height: 4),
      root: VStack(spacing: 0) {
        Rule()
        SplitPanes(sideWidth: 3) {
          CanvasView { canvas, rect in canvas.fill(rect, with: "▀", style: sea) }
        } side: {
          Text("ana")
        }
        Rule()
      })
    func ground(_ x: Int, _ y: Int) -> Backdrop { screen.terminal.screen[x, y].style.backdrop }
    let (water, land) = (Backdrop(.fillSea, night: 3), Backdrop(.fillLand, night: 3))
    // Above it is the upper half of its cells, beside and below it the lower one.
    #expect((0...3).allSatisfy { ground($0, 0) == water && ground($0, 3) == land })
    #expect((0...3).allSatisfy { ground(4, $0) == land })
    #expect((5...7).allSatisfy { ground($0, 0) == .none && ground($0, 3) == .none })
  }
}
