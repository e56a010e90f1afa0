import Foundation
import RallyTestSupport
import Testing

@testable import RallySystem

@Suite struct DispatchSleepTests {
  @Test func `a pause ends, and not before its time`() async throws {
    // given
    let start = ContinuousClock.now

    // when
    try await DispatchSleep.for(.milliseconds(30))

    // then
    #expect(ContinuousClock.now - start >= .milliseconds(30))
  }

  @Test func `a pause until a moment that is past ends at once`() async throws {
    try await DispatchSleep.until(.now - .seconds(5))
  }

  @Test func `a cancelled pause ends at once with a cancellation`() async {
    // given
    let pause = Task { try await DispatchSleep.for(.seconds(3600)) }

    // when
    pause.cancel()

    // then
    await #expect(throws: CancellationError.self) { try await pause.value }
  }

  @Test func `a pause that begins in a cancelled task does not begin`() async {
    // given
    let pause = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      // when
      try await DispatchSleep.for(.seconds(3600))
    }

    // then
    await #expect(throws: CancellationError.self) { try await pause.value }
  }

  @Test func `the longest of durations does not overflow`() async {
    // given
    let pause = Task { try await DispatchSleep.for(.seconds(Int64.max)) }

    // when
    pause.cancel()

    // then
    await #expect(throws: CancellationError.self) { try await pause.value }
  }

  @Test func `a pause with a tolerance ends with another one, and not before its time`()
    async throws
  {
    // given
    let hasEnded = Watched(false)
    let start = ContinuousClock.now
    let tolerant = Task {
      try await DispatchSleep.for(.milliseconds(60), tolerance: .seconds(3600))
      hasEnded.change { $0 = true }
    }
    defer { tolerant.cancel() }
    // when
    let others = Task { while true { try await DispatchSleep.for(.milliseconds(10)) } }
    defer { others.cancel() }
    // then
    #expect(await hasEnded.first(within: PollingBackoff.limit) { $0 } != nil)
    #expect(ContinuousClock.now - start >= .milliseconds(60))
  }

  @Test func `a pause with a tolerance ends by itself if no other one does`() async throws {
    let start = ContinuousClock.now
    try await DispatchSleep.for(.zero, tolerance: .seconds(1))
    #expect(ContinuousClock.now - start < .seconds(90))
  }

  @Test func `a cancelled pause with a tolerance ends at once`() async {
    let pause = Task { try await DispatchSleep.for(.seconds(3600), tolerance: .seconds(3600)) }
    pause.cancel()
    await #expect(throws: CancellationError.self) { try await pause.value }
  }

  @Test func `many pauses at once all end`() async throws {
    try await withThrowingTaskGroup { group in
      for milliseconds in 0..<200 {
        group.addTask { try await DispatchSleep.for(.milliseconds(milliseconds % 20)) }
      }
      try await group.waitForAll()
    }
  }
}
