import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct ShownHintsTests {
  private static let save = Action(id: "save", summary: "Save.", keys: ["s"], section: "A")
  private static let forget = Action(id: "forget", summary: "Forget.", keys: ["x"], section: "A")

  private struct Sheet: View {
    var body: some View {
      KeyHints([(save, "save what was typed"), (forget, "forget what was typed")])
    }
  }

  private func screen(width: Int) -> TestScreen {
    TestScreen(
      size: Size(width: width, height: 4), table: ActionTable([Self.save, Self.forget]),
      root: Sheet())
  }

  @Test func `the actions whose keys are shown are known while they are`() {
    #expect(screen(width: 80).graph.actions.shownHints == ["save", "forget"])
    #expect(
      TestScreen(table: ActionTable([Self.save]), root: Text("x")).graph.actions.shownHints.isEmpty)
  }

  @Test func `hints that do not fit in one line take two, and none is cut`() {
    #expect(
      screen(width: 80).picture[0] == "s save what was typed  x forget what was typed")
    #expect(
      screen(width: 40).picture.prefix(2) == ["s save what was typed", "x forget what was typed"])
  }
}
