import RallyTUI
import RallyTestSupport
import Testing

private struct Form: View {
  @State private var isWrong = false

  var body: some View {
    VStack {
      VStack(alignment: .center) {
        VStack {
          Text("title")
          Text("")
        }
        Box(title: "Form") {
          VStack {
            HStack { Text("field") }.frame(height: 1)
            Text("")
            HStack { Text("button") }.frame(height: 1)
            if isWrong { Paragraph("! wrong", .danger) }
          }
        }
        .frame(maxWidth: 12)
      }
      .frame(maxWidth: .max, maxHeight: .max)
      Text("last").frame(height: 1)
    }
    .onKey(.character("w")) {
      isWrong = true
      return true
    }
  }
}

@Suite @MainActor struct StackTests {
  @Test func `where there is room for everybody nobody is cut to an equal share`() {
    let screen = TestScreen(size: Size(width: 20, height: 12), root: Form())
    #expect(
      screen.picture.prefix(7).map { $0 } == [
        "   title", "", "╭─ Form ─╮", "│ field  │", "│        │", "│ button │",
        "╰────────╯",
      ])

    screen.press("w")

    #expect(screen.picture[6] == "│ ! wrong │")
    #expect(screen.picture[11] == "last")
  }
}
