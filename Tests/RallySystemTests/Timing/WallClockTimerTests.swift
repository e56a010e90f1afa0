import CTimerFD
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallySystem

@Suite @MainActor struct WallClockTimerTests {
  /// A wall clock that can be set.
  private final class Clock: Sendable {
    private let shift = Mutex(Duration.zero)
    let changes = ClockChanges()

    var now: WireTime { .now.advanced(by: shift.withLock { $0 }) }

    func jump(by duration: Duration) {
      setSilently(by: duration)
      changes.notify()
    }

    func setSilently(by duration: Duration) { shift.withLock { $0 += duration } }
  }

  @MainActor private final class Calls {
    var count = 0
  }

  private let clock = Clock()
  private let calls = Calls()

  private func timer() -> WallClockTimer {
    WallClockTimer(clockChanges: clock.changes, clock: { [clock] in clock.now })
  }

  private func set(_ timer: WallClockTimer, in duration: Duration) {
    let now = clock.now
    timer.set(now.advanced(by: duration), now: now) { [calls] in calls.count += 1 }
  }

  @Test(arguments: [1800, 18_000])
  func `a clock that is put forward past the time calls at once`(seconds: Int) async {
    let timer = timer()
    set(timer, in: .seconds(seconds - 60))
    clock.jump(by: .seconds(seconds))
    #expect(await eventually { self.calls.count == 1 })
    clock.jump(by: .seconds(seconds))
    // Another call would come before this one's.
    set(timer, in: .milliseconds(1))
    #expect(await eventually { self.calls.count == 2 })
  }

  @Test(arguments: [1800, 18_000])
  func `a clock that is put back calls when it reaches the time again`(seconds: Int) async {
    let timer = timer()
    set(timer, in: .milliseconds(200))
    clock.jump(by: .seconds(-seconds))
    // Until this one has called, the first would have.
    let other = self.timer()
    let later = Calls()
    let now = clock.now
    other.set(now.advanced(by: .milliseconds(600)), now: now) { later.count += 1 }
    #expect(await eventually { later.count == 1 })
    #expect(calls.count == 0)
    clock.jump(by: .seconds(seconds))
    #expect(await eventually { self.calls.count == 1 })
    withExtendedLifetime(timer) {}
  }

  @Test func `a sleep that ends before the time goes on`() async {
    let timer = timer()
    set(timer, in: .milliseconds(100))
    // As on a system that does not tell of it.
    clock.setSilently(by: .seconds(-3600))
    let other = Calls()
    let control = WallClockTimer(clockChanges: ClockChanges())
    control.set(WireTime.now.advanced(by: .milliseconds(400)), now: .now) { other.count += 1 }
    #expect(await eventually { other.count == 1 })
    #expect(calls.count == 0)
    withExtendedLifetime(timer) {}
  }

  @Test func `the kernel gives a timer that tells when the clock is set`() {
    let timer = rally_timer_make()
    #expect(timer >= 0)
    #expect(rally_timer_watch(timer) == 0)
    // Closes it.
    _ = ClockChanges(timer: timer)
  }
}
