import RallyTestSupport
import Testing

@testable import RallySystem

@Suite struct WatchdogTests {
  @Test func `it calls once, when the deadline is over`() async {
    let calls = Watched(0)
    let watchdog = Watchdog { calls.change { $0 += 1 } }
    #expect(!watchdog.isSet)
    watchdog.set(after: .milliseconds(5))
    #expect(watchdog.isSet)
    #expect(await calls.first(within: PollingBackoff.limit) { $0 == 1 } != nil)
    #expect(!watchdog.isSet)
    watchdog.set(after: .milliseconds(5))
    #expect(await calls.first(within: PollingBackoff.limit) { $0 == 2 } != nil)
    #expect(watchdog.starts == 2)
  }

  @Test func `a deadline that moves on starts no timer, and is waited for`() async {
    let calls = Watched(0)
    let watchdog = Watchdog { calls.change { $0 += 1 } }
    let start = ContinuousClock.now
    watchdog.set(after: .milliseconds(100))
    for _ in 0..<1000 { watchdog.set(after: .milliseconds(300)) }
    #expect(watchdog.starts <= 2)
    #expect(await calls.first(within: PollingBackoff.limit) { $0 == 1 } != nil)
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    #expect(watchdog.starts <= 3)
    #expect(calls.value == 1)
  }

  @Test func `a tolerant deadline replaces the timer, and holds no later exact one up`() async {
    let calls = Watched(0)
    let watchdog = Watchdog { calls.change { $0 += 1 } }
    watchdog.set(after: .milliseconds(5))
    watchdog.set(after: .seconds(3600), tolerance: .seconds(3600))
    #expect(watchdog.starts == 2)
    watchdog.set(after: .milliseconds(1), tolerance: .seconds(3600))
    watchdog.set(after: .milliseconds(20))
    #expect(watchdog.starts == 4)
    #expect(await calls.first(within: PollingBackoff.limit) { $0 == 1 } != nil)
    #expect(!watchdog.isSet)
  }

  @Test func `an earlier deadline goes before a later one, and none is called off`() async {
    let calls = Watched(0)
    let watchdog = Watchdog { calls.change { $0 += 1 } }
    watchdog.set(after: .seconds(3600))
    watchdog.set(after: .milliseconds(5))
    #expect(await calls.first(within: PollingBackoff.limit) { $0 == 1 } != nil)
    watchdog.set(after: .milliseconds(5))
    watchdog.cancel()
    #expect(!watchdog.isSet)
    watchdog.set(after: .milliseconds(50))
    #expect(await calls.first(within: PollingBackoff.limit) { $0 >= 2 } != nil)
    #expect(calls.value == 2)
  }
}
