import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct OverflowViewTests {
  private struct Lines: View {
    let count: Int
    var anchor: Int?

    var body: some View {
      VStack(spacing: 0) {
        ForEach(Array(0..<count), id: \.self) { number in
          Text("line \(number)").anchorsCursor(number == anchor)
        }
      }
      .frame(maxWidth: .max)
      .scrollsIfTooHigh()
    }
  }

  private func screen(_ count: Int, anchor: Int? = nil) -> TestScreen {
    TestScreen(size: Size(width: 20, height: 5), root: Lines(count: count, anchor: anchor))
  }

  @Test func `what fits stands still and takes no keys`() {
    let screen = screen(5)
    #expect(screen.picture == (0..<5).map { "line \($0)" })
    #expect(screen.graph.actions.available.isEmpty)
  }

  @Test func `what is too high is scrolled, and marks say in which direction there is more`() {
    let screen = screen(9)
    #expect(screen.picture.first == "line 0")
    #expect(screen.picture.last == "line 4             ▼")
    screen.press("j")
    #expect(screen.picture.first == "line 1             ▲")
    screen.press("PgDn PgDn PgDn")
    #expect(screen.picture.last == "line 8")
    #expect(screen.picture.first == "line 4             ▲")
    screen.press("g g")
    #expect(screen.picture.first == "line 0")
  }

  @Test func `the part with the cursor is in view`() {
    let screen = screen(9, anchor: 7)
    #expect(screen.picture.contains { $0.hasPrefix("line 7") })
    #expect(screen.cursor?.position.y == 4)
  }
}
