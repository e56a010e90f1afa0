import Testing

@testable import RallyTUI

@MainActor @Suite struct MainTimerTests {
  @Test func `waiting ends at its time`() async {
    let start = ContinuousClock.now
    await MainTimer.wait(until: start + .milliseconds(20))
    #expect(ContinuousClock.now - start >= .milliseconds(20))
  }

  @Test func `waiting ends at once when its task is cancelled, even before it began`() async {
    let start = ContinuousClock.now
    let early = Task { await MainTimer.wait(until: start + .seconds(3600)) }
    early.cancel()
    await early.value
    let late = Task { await MainTimer.wait(until: start + .seconds(3600)) }
    await Task.yield()
    late.cancel()
    await late.value
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test func `what was cancelled or replaced does not happen`() async {
    let timer = MainTimer()
    var done: [String] = []
    timer.schedule(after: .milliseconds(1)) { done.append("first") }
    timer.schedule(after: .milliseconds(2)) { done.append("second") }
    await MainTimer.wait(until: .now + .milliseconds(30))
    timer.schedule(after: .milliseconds(1)) { done.append("third") }
    timer.cancel()
    await MainTimer.wait(until: .now + .milliseconds(30))
    #expect(done == ["second"])
  }
}
