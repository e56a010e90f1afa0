import RallyTestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite struct MainTimerTests {
  @Test func `what was cancelled or replaced does not happen`() async throws {
    let timer = MainTimer()
    var done: [String] = []
    timer.schedule(after: .milliseconds(1)) { done.append("first") }
    timer.schedule(after: .milliseconds(2)) { done.append("second") }
    _ = await eventually { done == ["second"] }
    timer.schedule(after: .milliseconds(1)) { done.append("third") }
    timer.cancel()
    timer.schedule(after: .milliseconds(3)) { done.append("fourth") }
    _ = await eventually { done.last == "fourth" }
    #expect(done == ["second", "fourth"])
  }
}
