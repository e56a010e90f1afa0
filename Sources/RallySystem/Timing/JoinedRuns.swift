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
