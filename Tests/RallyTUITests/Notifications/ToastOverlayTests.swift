import RallyTestSupport
import Testing

@testable import RallyTUI
@testable import TerminalKit

@MainActor @Suite struct ToastOverlayTests {
  private let failure =
    "The lists were not fetched. Server not reached (connection refused). Check the network, then "
    + "try again. And a sentence for which there is no room."

  private struct Sheet: View {
    let toasts: ToastQueue
    let isCovered: Bool

    var body: some View {
      VStack(spacing: 0) {
        Text("first row").frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
        if !isCovered { ToastOverlay(.constant(toasts)) }
        Text("keys of the sheet").frame(height: 1)
      }
      if isCovered { CoveringToast(toasts: .constant(toasts)) }
    }
  }

  private func screen(_ size: Size, isCovered: Bool) -> TestScreen {
    var toasts = ToastQueue()
    toasts.show(failure, kind: .failure, at: .now)
    return TestScreen(
      size: size, table: .rally, root: Sheet(toasts: toasts, isCovered: isCovered))
  }

  @Test func `a failure is told in two lines above the keys, and says that there is more`() {
    let picture = screen(Size(width: 60, height: 24), isCovered: false).picture
    #expect(picture[0] == "first row")
    #expect(picture[21].hasPrefix(" ! The lists were not fetched."))
    #expect(picture[22].hasPrefix("   ") && picture[22].hasSuffix("…"))
    #expect(picture[23] == "keys of the sheet")
  }

  @Test(arguments: [(24, 2), (12, 1)])
  func `over a sheet it has the first lines, and never those with the keys`(
    height: Int, lines: Int
  ) {
    let picture = screen(Size(width: 60, height: height), isCovered: true).picture
    #expect(picture[0].hasPrefix(" ! The lists were not fetched."))
    #expect(picture[lines].isEmpty)
    #expect(picture[height - 1] == "keys of the sheet")
  }
}
