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
