import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct FeatureActionTests {
  @Test func `an action performs its handler with the view that attaches it`() {
    let model = PeopleModel()
    screen(model).press("a")
    #expect(model.text == "added")
  }

  @Test func `the conditions of an action are read again when what they read changes`() async {
    let model = PeopleModel()
    let screen = screen(model)
    #expect(listed(screen) == ["people.add -", "people.clear Nobody is here."])

    model.number = 2
    await screen.waitUntilIdle()

    #expect(listed(screen) == ["people.add -", "people.clear -", "people.hidden -"])
  }

  @Test func `a disabled action says why and does nothing, a hidden one leaves its key alone`() {
    let model = PeopleModel()
    var reasons: [String] = []
    let view = PeopleSheet(model: model).onDisabledAction { _, reason in reasons.append(reason) }
    let screen = TestScreen(table: PeopleSheet.table, root: view)

    screen.press("c h")

    #expect(reasons == ["Nobody is here."])
    #expect(model.text.isEmpty)
  }

  @Test func `name and title follow from the id where they are not given`() {
    #expect(PeopleSheet.all.map(\.action.name) == ["add-person", "clear", "hidden"])
    #expect(PeopleSheet.all.map(\.action.title) == ["add person", "clear", "secret"])
  }

  private func screen(_ model: PeopleModel) -> TestScreen {
    TestScreen(table: PeopleSheet.table, root: PeopleSheet(model: model))
  }

  private func listed(_ screen: TestScreen) -> [String] {
    screen.graph.actions.available.map { "\($0.id) \($0.disabledReason ?? "-")" }
  }
}

private struct PeopleSheet: View {
  let model: PeopleModel

  var body: some View { Text("x").actions(Self.all, in: self) }
}

nonisolated extension PeopleSheet {
  fileprivate static let table = ActionTable(all.map(\.action))

  fileprivate static let all: [FeatureAction<Self>] = [
    FeatureAction(
      id: "people.add", name: "add-person", summary: "Add a person.", keys: ["a"],
      section: "People", run: { $0.model.text = "added" }),
    FeatureAction(
      id: "people.clear", summary: "Remove all.", keys: ["c"], section: "People",
      disabled: { $0.model.number == 0 ? "Nobody is here." : nil },
      run: { $0.model.text = "cleared" }),
    FeatureAction(
      id: "people.hidden", title: "secret", summary: "Hidden at first.", keys: ["h"],
      section: "People", shown: { $0.model.number > 1 }, run: { $0.model.text = "hidden" }),
  ]
}
