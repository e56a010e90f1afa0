import Observation
import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Observable private final class Offering {
  var names = ["a", "b"]
  var note: String?
  var reason: String?
  @ObservationIgnored var done: [String] = []
}

private struct OfferingView: View {
  let offering: Offering

  var body: some View {
    VStack {
      if let note = offering.note { Text(note) }
      ForEach(offering.names, id: \.self) { name in
        Text(name).onAction("count", disabled: offering.reason) { offering.done.append(name) }
      }
    }
  }
}

@MainActor @Suite struct InputScopeTests {
  private let offering = Offering()
  private let screen: TestScreen

  init() {
    let table = ActionTable([
      Action(id: "count", summary: "Count.", keys: ["c"], section: "Test")
    ])
    screen = TestScreen(table: table, root: OfferingView(offering: offering))
  }

  @Test func `views without input come and go, and the scope stays`() async {
    let structure = screen.graph.structure
    offering.note = "new"
    await screen.waitUntilIdle()
    #expect(screen.text == "new\na\nb")
    offering.note = nil
    await screen.waitUntilIdle()
    #expect(screen.text == "a\nb")
    #expect(screen.graph.structure == structure)
  }

  @Test func `the last handler takes the key, also after they changed places or one went`() async {
    screen.press("c")
    offering.names = ["b", "a"]
    await screen.waitUntilIdle()
    screen.press("c")
    offering.names = ["b"]
    await screen.waitUntilIdle()
    screen.press("c")
    offering.names = []
    await screen.waitUntilIdle()
    screen.press("c")
    #expect(offering.done == ["b", "a", "b"])
    #expect(screen.graph.actions.available.isEmpty)
  }

  @Test func `a reason that changes is offered, with the same handlers`() async {
    #expect(screen.graph.actions.available.map(\.disabledReason) == [nil])
    offering.reason = "Not now."
    await screen.waitUntilIdle()
    #expect(screen.graph.actions.available.map(\.disabledReason) == ["Not now."])
  }
}
