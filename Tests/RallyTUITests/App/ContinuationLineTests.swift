import Observation
import RallyTestSupport
import Testing

@testable import RallyTUI
@testable import TerminalKit

struct ContinuationLineTests {
  @Observable final class Log {
    var text = ""
  }

  private struct Root: View {
    let log: Log
    var body: some View {
      VStack(spacing: 0) {
        Text("content").frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
        ContinuationLine()
        Text("status")
      }
      .onAction("first") { log.text += "first " }
      .onAction("tab.next") { log.text += "next " }
      .onAction("tab.previous") { log.text += "previous " }
    }
  }

  private let log = Log()

  private func screen(width: Int = 60) -> TestScreen {
    TestScreen(size: Size(width: width, height: 4), table: .rally, root: Root(log: log))
  }

  /// Moves the clock to so long after the last key.
  private func pass(_ time: Duration, _ screen: TestScreen) async throws {
    let due = try #require(screen.graph.matcher.continuationsDue)
    screen.graph.showContinuations(at: due - ChordMatcher.continuationDelay + time)
    await screen.waitUntilIdle()
  }

  @Test func `half-typed keys show what can follow after 300 ms, and not before`() async throws {
    let screen = screen()
    screen.press("g")
    screen.graph.showContinuations(
      at: try #require(screen.graph.matcher.continuationsDue) - .milliseconds(1))
    #expect(screen.graph.actions.continuations.isEmpty)
    try await pass(.milliseconds(300), screen)
    #expect(
      screen.picture == ["content", "", " g…  t next tab  T previous tab  g first", "status"])

    screen.press("t")
    #expect(log.text == "next ")
    #expect(screen.picture == ["content", "", "", "status"])
  }

  @Test func `Esc leaves it, and only what can be done here is offered`() async throws {
    let screen = TestScreen(
      size: Size(width: 60, height: 3), table: .rally,
      root: VStack(spacing: 0) {
        ContinuationLine()
        Text("status")
      }.onAction("first") {})
    screen.press("g")
    try await pass(.milliseconds(400), screen)
    #expect(screen.picture[0] == " g…  g first")
    screen.press("Esc")
    #expect(screen.picture[0] == "status")
  }

  @Test func `what has no room is left out whole`() async throws {
    let screen = screen(width: 30)
    screen.press("g")
    try await pass(.seconds(1), screen)
    #expect(screen.picture[2] == " g…  t next tab …")
  }

  @Test func `they come by themselves when nothing more is typed`() async {
    let screen = screen()
    screen.press("g")
    await screen.waitFor("g…  t next tab")
  }
}
