import RallyTestSupport
import Testing

@testable import TerminalKit

/// A text that gives way to its neighbour.
@Suite @MainActor struct FittingTextTests {
  @Test(arguments: [
    (30, "names of lists  within 50 km w"), (22, "names of lists       w"), (14, "names of lists"),
  ])
  func `what is more important is never cut for it`(_ width: Int, _ row: String) {
    let view = HStack(spacing: 0) {
      Text("names of lists").layoutPriority(2)
      Spacer()
      FittingText(["within 50 km w", "w"]).layoutPriority(1)
    }
    let screen = TestScreen(size: Size(width: width, height: 1), root: view)
    #expect(screen.picture[0] == row)
  }
}
