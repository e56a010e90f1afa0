import RallyTestSupport
import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct ToastOverlayTests {
  private let failure =
    "The lists were not fetched. Server not reached (connection refused). Check the network, then "
    + "try again. And a sentence for which there is no room."

  private struct Sheet: View {
    let toasts: ToastQueue

    var body: some View {
      VStack(spacing: 0) {
        Text("first row").frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
        ToastOverlay(.constant(toasts))
        Text("keys of the sheet").frame(height: 1)
      }
    }
  }

  private func screen(_ size: Size) -> TestScreen {
    var toasts = ToastQueue()
    toasts.show(failure, kind: .failure, at: .now)
    return TestScreen(
      size: size, table: .rally, root: Sheet(toasts: toasts))
  }

  @Test func `a failure is told in two lines above the keys, and says that there is more`() {
    let picture = screen(Size(width: 60, height: 24)).picture
    #expect(picture[0] == "first row")
    #expect(picture[21].hasPrefix(" ! The lists were not fetched."))
    #expect(picture[22].hasPrefix("   ") && picture[22].hasSuffix("…"))
    #expect(picture[23] == "keys of the sheet")
  }

  @Test(arguments: [Size(width: 80, height: 24), Size(width: 60, height: 16)])
  func `over a sheet it has the last lines, and the highest sheet keeps its title and its keys`(
    size: Size
  ) {
    let picture = covered(size)
    #expect(picture[0].hasPrefix("╭─ Title "))
    #expect(picture[size.height - 3].contains("keys of the sheet"))
    #expect(picture[size.height - 2].hasPrefix(" ! The lists were not fetched."))
  }

  @Test(arguments: [Size(width: 40, height: 12), Size(width: 80, height: 12)])
  func `on a compact terminal it has one line above the row with the keys`(size: Size) {
    let picture = covered(size)
    #expect(picture[0].hasPrefix("╭─ Title "))
    #expect(picture[size.height - 3].contains("keys of the sheet"))
    #expect(picture[size.height - 2].hasPrefix(" ! The lists were not fetched."))
    #expect(picture[size.height - 1] == "keys of the screen")
  }

  /// A sheet that takes all the room there is.
  private func covered(_ size: Size) -> [String] {
    var toasts = ToastQueue()
    toasts.show(failure, kind: .failure, at: .now)
    let view = Group {
      VStack(spacing: 0) {
        Spacer()
        Text("keys of the screen").frame(height: 1)
      }
      .modal(item: .constant(1 as Int?)) { _ in
        Box(title: "Title") {
          VStack(spacing: 0) {
            Spacer()
            Text("keys of the sheet").frame(height: 1)
          }
        }
        .frame(maxWidth: .max, maxHeight: .max)
      }
      CoveringToast(toasts: .constant(toasts))
    }
    return TestScreen(size: size, table: .rally, root: view).picture
  }
}
