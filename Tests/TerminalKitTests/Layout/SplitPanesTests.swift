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
}
