import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct StacksTests {
  /// A title over a box whose last line came late, both only as high as they need to be.
  private struct Form: View {
    var body: some View {
      VStack {
        VStack(alignment: .center) {
          VStack {
            Text("title")
            Text("subtitle")
            Text("")
          }
          Box {
            VStack {
              Text("field").frame(height: 1)
              Text("field").frame(height: 1)
              Text("button").frame(height: 1)
              Text("")
              Paragraph("! what is wrong")
            }
          }
        }
        .frame(maxWidth: .max, maxHeight: .max)
        Text("footer").frame(height: 1)
      }
    }
  }

  @Test func `where there is room, no line is cut for another view's equal share`() {
    let screen = TestScreen(table: ActionTable([]), root: Form())
    #expect(screen.picture.contains { $0.contains("! what is wrong") })
  }
}
