import RallyTestSupport
import Testing

@testable import TerminalKit

/// A sheet over the screen.
@Suite @MainActor struct ModalTests {
  @Test func `a sheet erases only what it frames, however much room it asks for`() {
    let screen = TestScreen(
      size: Size(width: 80, height: 24),
      root: VStack(spacing: 0) {
        ForEach(Array(0..<24), id: \.self) { _ in Text(String(repeating: "x", count: 80)) }
      }
      .modal(item: .constant(1 as Int?)) { _ in
        Box(title: "Where") { Text("here").frame(maxHeight: 3) }.frame(
          maxWidth: 56, maxHeight: 20)
      })
    let lines = screen.picture
    let boxed = lines.filter { $0.contains("│") || $0.contains("╭") || $0.contains("╰") }
    #expect(boxed.count >= 3)
    // Right and left of the frame, above and below it, what was there stands.
    #expect(boxed.allSatisfy { $0.hasPrefix("x") && $0.hasSuffix("x") && !$0.contains("x ") })
    #expect(lines.count { $0 == String(repeating: "x", count: 80) } == 24 - boxed.count)
  }
}
