import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct MouseTests {
  private let start = ContinuousClock.now

  /// A list beside a pane that tells what the mouse does over it.
  private struct Panes: View {
    let model: PeopleModel
    let log: MouseLog

    var body: some View {
      HStack(spacing: 0) {
        PeopleList(model: model).frame(width: 20)
        CanvasView { _, _ in
        } onMouse: { event, _ in
          log.events.append("\(event.kind) \(event.position.x),\(event.position.y)")
          return true
        }
      }
      .onAction("open") { model.text = "opened \(model.selected ?? -1)" }
    }
  }

  @MainActor private final class MouseLog {
    var events: [String] = []
  }

  private static let table = ActionTable(
    Action.movement + [
      Action(id: "open", title: "open", summary: "", keys: ["Enter"], section: "")
    ])

  private func mouse(_ kind: MouseEvent.Kind, _ x: Int, _ y: Int) -> InputEvent {
    .mouse(MouseEvent(kind: kind, position: Point(x: x, y: y)))
  }

  @Test func `a click selects a row and a double click opens it`() {
    let model = PeopleModel(count: 30)
    let screen = TestScreen(
      size: Size(width: 40, height: 10), table: Self.table,
      root: Panes(model: model, log: MouseLog()))
    screen.click("Person 4")
    #expect(model.selected == 4)
    #expect(model.text.isEmpty)
    screen.click("Person 6", times: 2)
    #expect(model.text == "opened 6")
  }

  @Test func `two clicks that are slow or far apart are two clicks`() {
    let model = PeopleModel(count: 30)
    let screen = TestScreen(
      size: Size(width: 40, height: 10), table: Self.table,
      root: Panes(model: model, log: MouseLog()))
    let graph = screen.graph
    graph.handle(mouse(.press, 3, 2), at: start)
    graph.handle(mouse(.press, 3, 2), at: start + .milliseconds(401))
    #expect(model.text.isEmpty)
    graph.handle(mouse(.press, 3, 3), at: start + .milliseconds(500))
    #expect(model.text.isEmpty)
    // One cell aside is a trembling hand.
    graph.handle(mouse(.press, 4, 3), at: start + .milliseconds(600))
    #expect(model.text == "opened 3")
    // A third one is the first of another pair.
    model.text = ""
    graph.handle(mouse(.press, 4, 3), at: start + .milliseconds(700))
    #expect(model.text.isEmpty)
  }

  @Test func `the wheel moves what is under the pointer, and no heading or blank row is selected`()
  {
    let model = PeopleModel(count: 3)
    let log = MouseLog()
    let screen = TestScreen(
      size: Size(width: 40, height: 10), table: Self.table, root: Panes(model: model, log: log))
    screen.terminal.send([mouse(.press, 3, 8)])
    #expect(model.selected == nil)
    screen.terminal.send([mouse(.wheelDown, 30, 2)])
    #expect(log.events == ["wheelDown 30,2"])
    #expect(model.selected == nil)
    screen.terminal.send([mouse(.wheelDown, 3, 2)])
    #expect(model.selected == 2)
  }

  @Test func `a drag takes the selection along and scrolls beyond the edge`() {
    let model = PeopleModel(count: 30)
    let screen = TestScreen(
      size: Size(width: 40, height: 10), table: Self.table,
      root: Panes(model: model, log: MouseLog()))
    screen.terminal.send([mouse(.press, 3, 2), mouse(.drag, 3, 5)])
    #expect(model.selected == 5)
    screen.terminal.send([mouse(.drag, 3, 9), mouse(.drag, 3, 12), mouse(.drag, 3, 13)])
    #expect(model.selected == 11)
    #expect(screen.picture[9] == "▸ Person 11")
  }

  @Test func `what was pressed holds the button until it is let go, wherever the pointer is`() {
    let model = PeopleModel(count: 30)
    let log = MouseLog()
    let screen = TestScreen(
      size: Size(width: 40, height: 10), table: Self.table, root: Panes(model: model, log: log))
    screen.terminal.send([
      mouse(.press, 30, 2), mouse(.drag, 3, 5), mouse(.release, 3, 6), mouse(.drag, 30, 5),
      mouse(.release, 30, 5),
    ])
    #expect(log.events == ["press 30,2", "drag 3,5", "release 3,6"])
    #expect(model.selected == nil)
  }

  private struct Asking: View {
    let model: PeopleModel
    let log: MouseLog
    @State private var question: String?

    var body: some View {
      Panes(model: model, log: log)
        .onAction("ask") { question = "Sure?" }
        .modal(item: $question) { text in
          VStack(spacing: 0) {
            Text(text)
            ClickLine([
              ClickLine.Part(Span("[ Yes ]")) { model.text = "yes" },
              ClickLine.Part(Span("   ")),
              ClickLine.Part(Span("No")) { model.text = "no" },
            ])
            Text("elsewhere").onClick { model.text = "elsewhere" }
          }
        }
    }
  }

  @Test func `a modal takes the mouse from what is below, and its words can be clicked`() {
    let model = PeopleModel(count: 30)
    let log = MouseLog()
    let screen = TestScreen(
      size: Size(width: 40, height: 10),
      table: ActionTable(
        Self.table.actions + [Action(id: "ask", title: "", summary: "", keys: ["?"], section: "")]),
      root: Asking(model: model, log: log))
    screen.terminal.send([mouse(.press, 30, 2)])
    screen.press("?")
    // The pane that was pressed is covered now.
    screen.terminal.send([mouse(.drag, 31, 2), mouse(.release, 31, 2), mouse(.wheelDown, 1, 1)])
    #expect(log.events == ["press 30,2"])
    screen.terminal.send([mouse(.press, 1, 0)])
    #expect(model.selected == nil)
    for (word, said) in [("Yes", "yes"), ("No", "no"), ("elsewhere", "elsewhere")] {
      screen.click(word)
      #expect(model.text == said)
    }
  }

  private struct Choices: View {
    let log: MouseLog

    var body: some View {
      VStack(spacing: 0) {
        Text("heading")
        Lines([Line("first"), Line("second"), Line("third")]) { log.events.append("\($0)") }
          .frame(height: 2)
        Text("below")
      }
    }
  }

  @Test func `a click on one of several lines says which`() {
    let log = MouseLog()
    let screen = TestScreen(size: Size(width: 10, height: 6), root: Choices(log: log))
    screen.click("second")
    screen.click("first")
    // Neither of these is a line, also where one had no room.
    screen.click("below")
    screen.click("heading")
    #expect(log.events == ["1", "0"])
  }

  private struct Field: View {
    let model: PeopleModel

    var body: some View {
      TextField(text: Binding(model, \.text), isFocused: true).frame(width: 10, height: 1)
    }
  }

  @Test func `a click into a field puts the caret there`() {
    let model = PeopleModel()
    model.text = "漢字ab"
    let screen = TestScreen(root: Field(model: model))
    screen.terminal.send([mouse(.press, 3, 0)])
    screen.type("x")
    #expect(model.text == "漢x字ab")
    screen.terminal.send([mouse(.press, 9, 0)])
    screen.type("y")
    #expect(model.text == "漢x字aby")
  }
}
