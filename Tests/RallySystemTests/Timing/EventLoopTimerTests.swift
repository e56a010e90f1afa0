@testable import RallySystem

#if os(Linux)
  import Foundation
  import NIOCore
  import NIOPosix
  import RallyTestSupport
  import Testing

  @testable import RallyDomain

  @Suite struct EventLoopTimerTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let timer: EventLoopTimer
    private let called = Watched<[Int]>([])

    init() throws { timer = try #require(EventLoopTimer(on: loop)) }

    private func add(_ milliseconds: Int, to now: SuspendingClock.Instant) -> EventLoopTimer.Entry {
      timer.add(at: now + .milliseconds(milliseconds)) {
        called.change { $0.append(milliseconds) }
      }
    }

    /// How long the kernel's timer is armed for, in whole seconds; 0: not at all.
    private func armed() throws -> Int {
      let info = try String(
        contentsOfFile: "/proc/self/fdinfo/\(timer.descriptor)", encoding: .utf8)
      let seconds = try #require(info.firstMatch(of: /it_value: \((\d+), (\d+)\)/))
      return try #require(Int(seconds.1)) + (seconds.1 == "0" && seconds.2 != "0" ? 1 : 0)
    }

    @Test func `functions are called in the order of their times, and once each`() async throws {
      // when
      try await loop.submit {
        let now = SuspendingClock.now
        for wait in [30, 10, 20] { _ = add(wait, to: now) }
      }.get()

      // then
      #expect(await called.first(within: .seconds(60)) { $0.count >= 3 } == [10, 20, 30])
    }

    @Test func `a removed function is not called, one beside it is`() async throws {
      // when
      try await loop.submit {
        let now = SuspendingClock.now
        let removed = add(5, to: now)
        _ = add(6, to: now)
        timer.remove(removed)
      }.get()

      // then
      #expect(await called.first(within: .seconds(60)) { !$0.isEmpty } == [6])
    }

    @Test func `the timer is disarmed when no function waits any more`() throws {
      // given
      let near = timer.add(at: .now + .seconds(600)) {}
      let far = timer.add(at: .now + .seconds(7200)) {}
      #expect(try (1...600).contains(armed()))

      // when
      timer.remove(near)

      // then
      #expect(try (601...7200).contains(armed()))
      timer.remove(far)
      #expect(try armed() == 0)
    }

    @Test func `a time that is years away is set anew each day`() throws {
      _ = timer.add(at: .now + .seconds(1_000_000_000)) {}
      #expect(try (7201...86_400).contains(armed()))
    }
  }
#endif
