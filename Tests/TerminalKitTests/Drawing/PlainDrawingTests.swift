import RallyTestSupport
import Testing

@testable import TerminalKit

@Suite @MainActor struct PlainDrawingTests {
  private struct Sample: View {
    @State private var selection: Int? = 2

    var body: some View {
      VStack {
        Text("▐3 Friends▌ ● live")
        Rule()
        Box(title: "Box") { Text("○ 田中 — ✓") }
        List([1, 2, 3], id: \.self, selection: $selection) { number, _ in Text("row \(number)") }
      }
    }
  }

  @Test func `plain drawing has no frames, no marks beyond ASCII, and the cursor on the row`() {
    let terminal = InMemoryTerminal(size: Size(width: 30, height: 9))
    let application = TerminalApplication(
      terminal: terminal, table: ActionTable(Action.movement), isPlain: true, root: Sample())
    application.start()
    let lines = ScreenPicture.lines(of: terminal.screen)
    #expect(
      lines == [
        "[3 Friends] * live", "", "Box", "o 田中 — +", "row 1", "row 2", "row 3", "", "",
      ])
    #expect(terminal.cursor == Cursor(position: Point(x: 0, y: 5), isVisible: true))
    application.finish()
  }
}
