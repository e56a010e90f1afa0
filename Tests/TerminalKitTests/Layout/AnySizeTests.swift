import RallyTestSupport
import Testing

@testable import TerminalKit

/// Everything there is at once, with foreign text in it.
private struct Everything: View {
  let model: PeopleModel
  @State private var question: String?

  var body: some View {
    VStack {
      HStack {
        TabBar([TabItem("Map", value: 1), TabItem("漢字", value: 2, badge: 3)], selection: 2)
        Spacer()
        Text("● live", .success).layoutPriority(1)
      }
      Rule()
      HStack {
        VStack {
          TextField(text: Binding(model, \.text), placeholder: "🇵🇹 find", isFocused: true)
          PeopleList(model: model)
        }
        VerticalRule()
        VStack(alignment: .center, spacing: 1) {
          Text("👨‍👩‍👧 family", .title)
          Paragraph("words that wrap 漢字かな and e\u{301} and 🎉🎉🎉🎉")
          Box(title: "漢字") { ProgressText("Loading", delay: .zero) }
        }
        .padding(horizontal: 1, vertical: 1).frame(width: 20)
      }
      Rule()
      Text("over").frame(minWidth: 3, maxWidth: 30, minHeight: 1, maxHeight: 2)
      Spacer(minLength: 2)
    }
    .onAction("ask") { question = "Leave 漢字?" }
    .modal(item: $question) { title in
      Box(title: title) { Paragraph("What is lost is said here, in a sentence of some length.") }
    }
  }
}

@MainActor @Suite struct AnySizeTests {
  @Test func `every size is drawn, with a modal too, and no row is longer than the screen`() {
    let model = PeopleModel(count: 40)
    model.text = "漢字 query"
    model.selected = 20
    let table = ActionTable(
      Action.movement + [
        Action(id: "ask", title: "ask", summary: "", keys: ["^K"], section: ""),
        .back,
      ])
    let screen = TestScreen(table: table, root: Everything(model: model))
    for round in 0..<2 {
      for width in [1, 2, 3, 5, 8, 13, 21, 39, 60, 80, 120] {
        for height in [1, 2, 3, 4, 5, 7, 10, 16, 24, 40] {
          screen.resize(to: Size(width: width, height: height))
          let buffer = screen.terminal.screen
          #expect(buffer.size == Size(width: width, height: height))
          for y in 0..<height {
            #expect((0..<width).reduce(0) { $0 + Int(buffer[$1, y].width) } == width)
          }
        }
      }
      if round == 0 { screen.graph.perform("ask") }
    }
    #expect(model.selected == 20)
    screen.press("Esc")
    screen.resize(to: Size(width: 80, height: 24))
    #expect(screen.contains("▸ Person 20"))
  }
}
