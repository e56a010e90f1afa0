import RallyDomain
import Testing

@testable import RallyTUI

@MainActor @Suite struct MainTimerTests {
  @Test func `what was cancelled or replaced does not happen`() async throws {
    let timer = MainTimer()
    var done: [String] = []
    timer.schedule(after: .milliseconds(1)) { done.append("first") }
    timer.schedule(after: .milliseconds(2)) { done.append("second") }
    try await Pause.for(.milliseconds(30))
    timer.schedule(after: .milliseconds(1)) { done.append("third") }
    timer.cancel()
    try await Pause.for(.milliseconds(30))
    #expect(done == ["second"])
  }
}
