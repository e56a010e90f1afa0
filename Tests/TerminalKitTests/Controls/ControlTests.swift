import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct TabTests {
  private struct Counter: View {
    @State private var count = 0
    var body: some View {
      Text("count \(count)").onAction("count") { count += 1 }
    }
  }

  private struct Root: View {
    @State private var tab = "map"
    var body: some View {
      VStack {
        TabBar(
          [TabItem("Map", value: "map"), TabItem("Friends", value: "friends", badge: 2)],
          selection: tab)
        UnderlayTabView(selection: $tab) {
          UnderlayTab("Map", value: "map") { Counter() }
          UnderlayTab("Friends", value: "friends") { Text("people") }
        }
      }
      .onAction("next") { tab = tab == "map" ? "friends" : "map" }
    }
  }

  @Test func `a tab keeps its state while another is seen, and takes no keys then`() {
    let table = ActionTable([
      Action(id: "count", title: "", summary: "", keys: ["c"], section: ""),
      Action(id: "next", title: "", summary: "", keys: ["n"], section: ""),
    ])
    let screen = TestScreen(table: table, root: Root())
    #expect(screen.picture.prefix(2) == ["▐1 Map▌ 2 Friends·2", "count 0"])

    screen.press("c c n c")
    #expect(screen.picture.prefix(2) == [" 1 Map ▐2 Friends·2▌", "people"])

    screen.press("n")
    #expect(screen.picture[1] == "count 2")
  }

  @Test func `a hidden tab is updated once it is shown, and asks for no frame before`() async {
    struct Tabs: View {
      let model: PeopleModel
      let runs: BodyRuns
      var body: some View {
        UnderlayTabView(selection: Binding(model, \.text)) {
          UnderlayTab("Map", value: "") {
            HStack {
              Text("number ")
              CountedNumber(model: model, runs: runs)
            }
          }
          UnderlayTab("Friends", value: "friends") { Text("people \(model.selected ?? 0)") }
        }
      }
    }
    let (model, runs) = (PeopleModel(), BodyRuns())
    let screen = TestScreen(root: Tabs(model: model, runs: runs))
    model.text = "friends"
    await screen.waitUntilIdle()
    #expect(screen.picture[0] == "people 0")

    model.number = 1
    model.number = 2
    #expect(!screen.graph.needsUpdate)
    model.selected = 7
    await screen.waitUntilIdle()
    #expect(screen.picture[0] == "people 7")
    #expect(runs.inner == 1)

    model.text = ""
    await screen.waitUntilIdle()
    #expect(screen.picture[0] == "number 2")
  }
}

@MainActor @Suite struct LayoutTests {
  private func lines(_ width: Int, _ height: Int, _ view: some View) -> [String] {
    TestScreen(size: Size(width: width, height: height), root: view).picture
  }

  @Test func `a spacer pushes what stands after it to the end`() {
    #expect(
      lines(
        12, 1,
        HStack {
          Text("ab"); Spacer(); Text("cd")
        }) == ["ab        cd"])
    #expect(
      lines(
        4, 3,
        VStack {
          Text("ab"); Spacer(); Text("cd")
        }) == ["ab", "", "cd"])
  }

  @Test func `a frame is exact, the rest goes to what bends`() {
    let view = HStack {
      Text("list").frame(maxWidth: .max, maxHeight: .max)
      VerticalRule()
      Text("detail").frame(width: 8)
    }
    #expect(lines(16, 2, view) == ["list   │detail", "       │"])
  }

  @Test func `rules that meet are joined`() {
    let view = VStack {
      Rule()
      HStack {
        Text("a").frame(maxWidth: .max, maxHeight: .max)
        VerticalRule()
        Text("b").frame(width: 3)
      }
      Rule()
    }
    #expect(lines(8, 4, view) == ["────┬───", "a   │b", "    │", "────┴───"])
  }

  @Test func `text without room ends in an ellipsis, wide characters whole`() {
    #expect(lines(6, 1, Text("漢字かな")) == ["漢字…"])
    #expect(lines(7, 1, Line(Span("abc "), Span("漢字x", .accent))) == ["abc 漢…"])
    #expect(lines(4, 1, Line(Span("abcd"), Span("e"))) == ["abc…"])
  }

  @Test func `lines stand below each other, each cut at the edge, as many as there is room for`() {
    let three = Lines([Line("wide one"), Line(), Line("two", .dim)])
    let view = VStack(spacing: 0) {
      three
      Text("end")
    }
    #expect(lines(6, 4, view) == ["wide …", "", "two", "end"])
    #expect(lines(8, 2, three) == ["wide one", ""])
    #expect(
      lines(
        4, 1,
        VStack {
          Lines([]); Text("end")
        }) == ["end"])
  }

  @Test func `a paragraph takes the lines it needs`() {
    #expect(
      lines(
        8, 4,
        VStack {
          Paragraph("one two three"); Text("end")
        })
        == ["one two", "three", "end", ""])
    #expect(lines(8, 2, Paragraph("one two three four five")) == ["one two", "three …"])
  }

  @Test func `padding and alignment stand where they should`() {
    #expect(lines(6, 3, Text("x").padding(1)) == ["", " x", ""])
    #expect(
      lines(7, 3, Text("x").frame(maxWidth: .max, maxHeight: .max, alignment: .center))
        == ["", "   x", ""])
    #expect(
      lines(12, 3, Box(title: "T") { Text("inside") }) == [
        "╭─ T ────╮", "│ inside │", "╰────────╯",
      ])
  }

  @Test func `a wide character at a clipped edge becomes blank, never half`() {
    let view = HStack {
      CanvasView { canvas, rect in canvas.draw("a漢漢", at: rect.origin) }.frame(width: 4, height: 1)
      Text("|")
    }
    #expect(lines(6, 1, view) == ["a漢 |"])
  }

  @Test func `a style reaches what is inside`() {
    let screen = TestScreen(
      root: HStack {
        Text("a"); Text("b", .danger)
      }.style(.accent.bold))
    #expect(screen.style(of: "a") == .accent.bold)
    #expect(screen.style(of: "b") == .danger.bold)
  }
}

@MainActor @Suite struct ProgressTextTests {
  private func paint(_ graph: Graph, _ buffer: CellBuffer, _ now: ContinuousClock.Instant)
    -> (String, Duration?)
  {
    let result = graph.paint(into: buffer, at: now)
    return (ScreenPicture.lines(of: buffer)[0], result.nextFrame)
  }

  @Test func `it comes after 150 ms, turns five times a second and rests after ten seconds`() {
    let graph = Graph(
      size: Size(width: 20, height: 1), table: ActionTable([]), root: ProgressText("Loading"))
    let buffer = CellBuffer(size: graph.size)
    let start = ContinuousClock.now

    #expect(paint(graph, buffer, start) == ("", .milliseconds(150)))
    let first = paint(graph, buffer, start + .milliseconds(150))
    let second = paint(graph, buffer, start + .milliseconds(400))
    #expect(first.0.hasSuffix(" Loading"))
    #expect(first.1 == .milliseconds(200))
    #expect(first.0 != second.0)
    #expect(paint(graph, buffer, start + .seconds(10)).1 == nil)
  }

  @Test func `what is not seen asks for no frames`() {
    let graph = Graph(
      size: Size(width: 20, height: 1), table: ActionTable([]),
      root: UnderlayTabView(selection: .constant(2)) {
        UnderlayTab("a", value: 1) { ProgressText("Loading", delay: .zero) }
        UnderlayTab("b", value: 2) { Text("b") }
      })
    #expect(graph.paint(into: CellBuffer(size: graph.size)).nextFrame == nil)
  }
}
