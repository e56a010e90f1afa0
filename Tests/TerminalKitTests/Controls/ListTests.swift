import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct ListTests {
  @Test func `only the rows on screen and two more are built, of ten thousand`() {
    // given
    let model = PeopleModel(count: 10_000)
    let screen = TestScreen(size: Size(width: 30, height: 10), root: PeopleList(model: model))
    #expect(screen.graph.builtRows <= 12)
    #expect(screen.picture[9] == "  Person 9")

    // when
    let before = screen.graph.builtRows
    screen.press("G")

    // then
    #expect(screen.graph.builtRows - before <= 24)
    #expect(screen.picture[9] == "▸ Person 9999")
    #expect(screen.style(of: "Person 9999")?.role == .selection)
    #expect(screen.cursor == Cursor(position: Point(x: 0, y: 9), isVisible: false))
  }

  @Test func `a move builds the two rows that look different, and a scroll the one that comes`() {
    // given
    let model = PeopleModel(count: 100)
    let screen = TestScreen(size: Size(width: 30, height: 10), root: PeopleList(model: model))
    screen.press("j j")
    let before = screen.graph.builtRows

    // when
    screen.press("j")

    // then
    #expect(screen.graph.builtRows - before == 2)
    #expect(screen.picture[1] == "  Person 1")
    #expect(screen.picture[2] == "▸ Person 2")

    // when
    screen.press("j j j j j j j")
    let atEdge = screen.graph.builtRows
    screen.press("j")

    // then
    #expect(screen.picture.last == "▸ Person 10")
    #expect(screen.graph.builtRows - atEdge == 3)
  }

  @Test func `keys move the selection and keep it in view`() {
    let model = PeopleModel(count: 30)
    let screen = TestScreen(size: Size(width: 30, height: 10), root: PeopleList(model: model))

    screen.press("j j j")
    #expect(model.selected == 2)
    screen.press("^D")
    #expect(model.selected == 7)
    screen.press("PgDn")
    #expect(model.selected == 17)
    #expect(screen.picture.last == "▸ Person 17")
    screen.press("k k")
    #expect(model.selected == 15)
    screen.press("g g")
    #expect(model.selected == 0)
    #expect(screen.picture.first == "▸ Person 0")
    screen.press("k")
    #expect(model.selected == 0)
  }

  @Test func `the selection stays with its item when rows come and go above it`() async {
    let model = PeopleModel(count: 8)
    model.selected = 4
    let screen = TestScreen(size: Size(width: 30, height: 10), root: PeopleList(model: model))

    model.people.removeFirst(2)
    model.people.insert(Person(id: 100, name: "New"), at: 0)
    await screen.waitUntilIdle()

    #expect(model.selected == 4)
    #expect(screen.picture[3] == "▸ Person 4")
  }

  @Test func `when the selected item goes, its nearest neighbour is selected`() async {
    let model = PeopleModel(count: 5)
    model.selected = 2
    let screen = TestScreen(size: Size(width: 30, height: 10), root: PeopleList(model: model))

    model.people.remove(at: 2)
    await screen.waitUntilIdle()
    #expect(model.selected == 3)

    model.people.removeSubrange(2...)
    await screen.waitUntilIdle()
    #expect(model.selected == 1)
    #expect(screen.picture[1] == "▸ Person 1")
  }

  @Test func `headings are skipped, and shown above the first row that can be selected`() {
    let model = PeopleModel(count: 30)
    let view = PeopleList(model: model) { $0.id % 5 != 0 }
    let screen = TestScreen(size: Size(width: 30, height: 6), root: view)

    screen.press("j")
    #expect(model.selected == 1)
    screen.press("j j j j")
    #expect(model.selected == 6)
    screen.press("G")
    #expect(model.selected == 29)
    screen.press("g g")
    #expect(model.selected == 1)
    #expect(screen.picture[0] == "  Person 0")
  }

  @Test func `all of the selected row is drawn as selected, and no other row`() {
    let model = PeopleModel(count: 3)
    model.selected = 1
    let screen = TestScreen(
      size: Size(width: 30, height: 3),
      root: List(
        model.people, id: \.id, selection: Binding(model, \.selected)
      ) { person, _ in
        Line(Span(person.name, .accent), Span("  later", .dim))
      })

    for x in 0..<30 {
      #expect(screen.style(x: x, y: 1) == .selection, "\(x)")
      #expect(screen.style(x: x, y: 0).role != .selection, "\(x)")
    }
  }

  @Test func `rows show what changed in the store they read`() async {
    let model = PeopleModel(count: 3)
    let screen = TestScreen(
      size: Size(width: 30, height: 3),
      root: List([1, 2, 3], id: \.self, selection: .constant(nil)) { id, _ in
        Text("\(id) \(model.number)")
      })

    model.number = 7
    await screen.waitUntilIdle()

    #expect(screen.picture == ["1 7", "2 7", "3 7"])
  }

  @Test func `the wheel and a click select`() {
    let model = PeopleModel(count: 30)
    let screen = TestScreen(size: Size(width: 30, height: 6), root: PeopleList(model: model))

    screen.terminal.send([.mouse(MouseEvent(kind: .press, position: Point(x: 3, y: 2)))])
    #expect(model.selected == 2)
    screen.terminal.send([.mouse(MouseEvent(kind: .wheelDown, position: Point(x: 3, y: 2)))])
    #expect(model.selected == 5)
  }
}
