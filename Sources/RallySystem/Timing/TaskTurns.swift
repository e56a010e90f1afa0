/// Runs pieces of work one after the other, in the order of the calls. Each is a task of its own: it
/// goes on when whoever waits for it is cancelled.
@MainActor
package final class TaskTurns {
  private var last: Task<Void, Never>?

  package init() {}

  /// Runs after all that was begun before.
  ///
  /// - Returns: What `work` returned.
  /// - Throws: What `work` threw.
  package func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @MainActor () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let task = Task { [last] () -> Result<Value, Failure> in
      await last?.value
      do throws(Failure) {
        return .success(try await work())
      } catch {
        return .failure(error)
      }
    }
    last = Task { _ = await task.value }
    return try await task.value.get()
  }
}

/// Runs a piece of work at once, and of all that come meanwhile only the last, once it is over.
///
/// For work that begins by reading what holds now: one more run serves everybody who came during
/// the first.
@MainActor
public final class JoinedRuns {
  public typealias Work = @MainActor () async -> Void

  private var isRunning = false
  private var next: Work?

  public init() {}

  /// Returns at once; the work goes on when the caller's task is cancelled.
  public func run(_ work: @escaping Work) {
    guard !isRunning else { return next = work }
    isRunning = true
    Task {
      var current: Work? = work
      while let work = current {
        await work()
        current = next
        next = nil
      }
      isRunning = false
    }
  }
}

/// Debounces a burst of events, with a maximum delay. A link that comes up sends one event each for
/// itself, its addresses and its routes.
struct Debouncer {
  /// A burst ends after this long without an event.
  static let quiet = Duration.milliseconds(250)
  /// The maximum delay, so that a change is seen within a second.
  static let limit = Duration.milliseconds(800)

  private var first: ContinuousClock.Instant?

  /// Records an event; returns when to read the state.
  mutating func note(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let start = first ?? now
    first = start
    return min(now + Debouncer.quiet, start + Debouncer.limit)
  }

  /// Records that the state was read: the next event starts a new burst.
  mutating func looked() { first = nil }
}
