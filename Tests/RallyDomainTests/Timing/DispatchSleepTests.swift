import Foundation
import RallyDomain
import Testing

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

  @Test func `many pauses at once all end`() async throws {
    try await withThrowingTaskGroup { group in
      for milliseconds in 0..<200 {
        group.addTask { try await DispatchSleep.for(.milliseconds(milliseconds % 20)) }
      }
      try await group.waitForAll()
    }
  }
}
