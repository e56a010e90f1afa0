import Observation
import RallyTestSupport
import Testing

@testable import TerminalKit

/// What a list does while it is read and others come above.
@MainActor @Suite struct ListArrivalsTests {
  private struct AskedList: View {
    let model: PeopleModel

    var body: some View {
      List(
        model.people, id: \.id, selection: Binding(model, \.selected),
        finding: RowLookup(question: model.text)
      ) { person, isSelected in
        Text("\(isSelected ? "▸ " : "  ")\(person.name)")
      }
    }
  }

  private func screen(_ model: PeopleModel) -> TestScreen {
    TestScreen(size: Size(width: 40, height: 6), root: AskedList(model: model))
  }

  private func add(_ count: Int, to model: PeopleModel) {
    let first = 1000 + model.people.count
    model.people.insert(
      contentsOf: (first..<first + count).map { Person(id: $0, name: "New \($0)") }, at: 0)
  }

  @Test func `rows that come above what is read do not move it, and are counted`() async {
    // given
    let model = PeopleModel(count: 40)
    let screen = screen(model)
    screen.press("G k k")
    let before = screen.picture

    // when
    add(3, to: model)
    await screen.waitUntilIdle()

    // then
    #expect(model.selected == 37)
    #expect(screen.picture.dropFirst() == before.dropFirst())
    #expect(screen.picture[0].hasPrefix("  Person 34"))
    #expect(screen.picture[0].hasSuffix("▲ 3 new g n"))

    // when more come, the mark counts all that were not seen
    add(2, to: model)
    await screen.waitUntilIdle()
    #expect(screen.picture[0].hasSuffix("▲ 5 new g n"))
    #expect(model.selected == 37)
  }

  @Test func `a list that gets short and changes again before it is drawn keeps its end`() async {
    let model = PeopleModel(count: 40)
    let screen = screen(model)
    screen.press("G")
    model.people.removeLast(38)
    screen.application.graph.update()
    model.people.removeLast()
    screen.application.graph.update()
    await screen.waitUntilIdle()
    #expect(screen.picture[0].hasPrefix("▸ Person 0"))
  }

  @Test func `a key goes to the nearest of the new rows, and what was seen is new no more`() async {
    let model = PeopleModel(count: 40)
    let screen = screen(model)
    screen.press("G")
    add(9, to: model)
    await screen.waitUntilIdle()

    screen.press("g n")
    #expect(screen.picture[0].hasPrefix("▸ New 1048"))
    #expect(screen.picture[0].hasSuffix("▲ 8 new g n"))
    screen.press("k k")
    #expect(screen.picture[0].hasSuffix("▲ 6 new g n"))
    screen.press("g g")
    #expect(!screen.contains("new g n"))
    #expect(screen.picture[0] == "▸ New 1040")
  }

  @Test func `at the top new rows are seen as they come`() async {
    let model = PeopleModel(count: 40)
    model.selected = 1
    let screen = screen(model)
    add(2, to: model)
    await screen.waitUntilIdle()
    #expect(screen.picture[0] == "  New 1040")
    #expect(screen.picture[3] == "▸ Person 1")
    #expect(!screen.contains("▲"))
  }

  @Test func `rows that only moved, and the rows of another question, are not new`() async {
    let model = PeopleModel(count: 40)
    let screen = screen(model)
    screen.press("G")
    let last = model.people[36]
    model.people.remove(at: 36)
    model.people.insert(last, at: 0)
    await screen.waitUntilIdle()
    #expect(!screen.contains("▲"))

    model.text = "even"
    model.people = (0..<60).map { Person(id: $0 * 2 + 500, name: "Even \($0)") }
    await screen.waitUntilIdle()
    #expect(!screen.contains("▲"))
    #expect(
      screen.picture[0] == "▸ Even 0", "whoever is not among them leaves the first one selected")
  }

  @Test func `new rows that go again are not counted`() async {
    let model = PeopleModel(count: 40)
    let screen = screen(model)
    screen.press("G")
    add(3, to: model)
    await screen.waitUntilIdle()
    model.people.removeFirst(2)
    await screen.waitUntilIdle()
    #expect(screen.picture[0].hasSuffix("▲ 1 new g n"))
    #expect(model.selected == 39)
    #expect(screen.picture.last == "▸ Person 39")
  }

  @Test func `of a hundred thousand rows only those on the screen are asked for`() async {
    // given: rows that count who looks at them
    final class Looks { var count = 0 }
    let looks = Looks()
    let model = PeopleModel(count: 0)
    let all = 0..<100_000
    let view = List(
      all, id: \.self, selection: Binding(model, \.selected),
      finding: RowLookup(position: { all.contains($0) ? $0 : nil }),
      row: { (number: Int, isSelected: Bool) -> Text in
        looks.count += 1
        return Text("\(isSelected ? "▸ " : "  ")\(number)")
      })
    let screen = TestScreen(size: Size(width: 30, height: 10), root: view)
    screen.press("j")

    // when
    looks.count = 0
    screen.press("G")
    #expect(looks.count <= 24)
    looks.count = 0
    screen.press("k k PgUp")
    #expect(looks.count <= 40)
    looks.count = 0
    model.selected = 50_000
    await screen.waitUntilIdle()

    // then
    #expect(looks.count <= 24)
    #expect(screen.contains("▸ 50000"))
  }
}
