import Foundation
import Observation
import RallyTestSupport
import Testing

@testable import TerminalKit

/// Rows at the bottom of a list, and what is in view before something is selected.
@MainActor @Suite struct ListPlacementTests {
  @Observable final class Seen {
    var rows: [Range<Int>] = []
  }

  private struct PlacedList: View {
    let model: PeopleModel
    let seen: Seen
    let bottom: Int?
    let initial: Int?

    var body: some View {
      List(
        model.people, id: \.id, selection: Binding(model, \.selected),
        placement: RowPlacement(bottom: bottom, initial: initial) { seen.rows.append($0) }
      ) { person, isSelected in
        Text("\(isSelected ? "▸ " : "  ")\(person.name)")
      }
    }
  }

  private func screen(
    _ model: PeopleModel, _ seen: Seen = Seen(), bottom: Int? = nil, initial: Int? = nil
  ) -> TestScreen {
    TestScreen(
      size: Size(width: 20, height: 6),
      root: PlacedList(model: model, seen: seen, bottom: bottom, initial: initial))
  }

  private func rows(_ screen: TestScreen) -> [String] {
    screen.picture.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func `with room to spare the last rows stand at the bottom, and a click finds them`() async
  {
    let model = PeopleModel(count: 4)
    let screen = screen(model, bottom: 2)
    await screen.waitUntilIdle()
    #expect(rows(screen) == ["Person 0", "Person 1", "", "", "Person 2", "Person 3"])
    screen.click("Person 2")
    await screen.waitUntilIdle()
    #expect(model.selected == 2)
  }

  @Test func `before something is selected a row is in view, with the one above it`() async {
    let model = PeopleModel(count: 20)
    let seen = Seen()
    let screen = screen(model, seen, initial: 10)
    await screen.waitUntilIdle()
    #expect(rows(screen).first == "Person 9")
    #expect(seen.rows.last == 9..<15)
    #expect(model.selected == nil)

    // Down begins at the top of what is seen, up at its end.
    screen.press("j")
    #expect(model.selected == 9)
    model.selected = nil
    await screen.waitUntilIdle()
    screen.press("k")
    #expect(model.selected == 14)
  }

  @Test func `the rows that come into view are told once`() async {
    let model = PeopleModel(count: 20)
    let seen = Seen()
    let screen = screen(model, seen)
    await screen.waitUntilIdle()
    #expect(seen.rows == [0..<6])
    screen.press("G")
    await screen.waitUntilIdle()
    #expect(seen.rows == [0..<6, 14..<20])
    screen.press("k")
    await screen.waitUntilIdle()
    #expect(seen.rows.count == 2)
  }
}
