import Foundation
import Synchronization

/// A value that threads change and tests can await.
public final class Watched<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var value: Value
    var changes = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  public init(_ value: Value) { state = Mutex(State(value: value)) }

  public var value: Value { state.withLock { $0.value } }

  /// Changes the value and wakes all waiting tests.
  @discardableResult
  public func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    let (result, waiting) = state.withLock { state in
      let result = body(&state.value)
      state.changes += 1
      defer { state.waiting = [] }
      return (result, state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return result
  }

  /// Waits for the first value that fulfils the condition; nil after `limit`.
  ///
  /// Every change is checked at once; the limit is only reached on failure.
  public func first(
    within limit: Duration, where condition: @Sendable (Value) -> Bool
  ) async -> Value? {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    let alarm = Task { [weak self] in
      try await Task.sleep(until: deadline, clock: clock)
      self?.change { _ in }
    }
    defer { alarm.cancel() }
    while true {
      let (value, changes) = state.withLock { ($0.value, $0.changes) }
      if condition(value) { return value }
      if clock.now >= deadline || Task.isCancelled { return nil }
      await withCheckedContinuation { continuation in
        let late = state.withLock { state in
          if state.changes != changes { return true }
          state.waiting.append(continuation)
          return false
        }
        if late { continuation.resume() }
      }
    }
  }
}

/// Polling with back-off, for tests.
///
/// The limit only ends tests that are broken. It is generous because on a slow machine all tests
/// share one main actor.
public struct PollingBackoff {
  /// `RALLY_TEST_PATIENCE` overrides it, in seconds.
  public static let limit = Duration.seconds(
    ProcessInfo.processInfo.environment["RALLY_TEST_PATIENCE"].flatMap(Int.init) ?? 300)

  private let deadline: ContinuousClock.Instant
  private var next = Duration.milliseconds(1)

  public init(_ limit: Duration = PollingBackoff.limit) { deadline = .now + limit }

  /// Waits before the next check; returns false after the limit or if the task was cancelled.
  public mutating func pause() async -> Bool {
    guard ContinuousClock.now < deadline else { return false }
    next = min(next * 2, .milliseconds(32))
    return (try? await Task.sleep(for: next)) != nil
  }
}

/// Polls a condition on the main actor until it holds; false after `limit`.
///
/// Only for conditions that cannot be awaited in another way.
@MainActor
public func eventually(
  within limit: Duration = PollingBackoff.limit, _ condition: @MainActor () async -> Bool
) async -> Bool {
  do {
    try await eventually("it", within: limit, condition)
    return true
  } catch {
    return await condition()
  }
}

/// The same for a condition that may throw, and for tests that end where it does not hold.
///
/// - Throws: `ProcessFailure` if it does not hold in time.
package func eventually(
  _ what: String, within limit: Duration = PollingBackoff.limit,
  _ condition: () async throws -> Bool
) async throws {
  var patience = PollingBackoff(limit)
  while try await !condition() {
    guard await patience.pause() else { throw ProcessFailure("never came true: \(what)") }
  }
}
