import Foundation

#if canImport(Testing)
  import Testing

  /// A limit on the CPU time for parsing one hostile input.
  ///
  /// Measures the CPU time of the calling thread, so a busy machine does not matter. Generous,
  /// since a debug build on a slow machine must stay far below it; unbounded work exceeds any
  /// limit.
  public enum CPUTimeLimit {
    /// For one input of at most a few kilobytes.
    public static let perInput: Duration = .seconds(5)

    /// Runs the work; records an issue with the input and the seed if it took longer.
    ///
    /// - Throws: What `work` throws.
    @discardableResult
    public static func check<Value>(
      _ input: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation,
      _ work: () throws -> Value
    ) rethrows -> Value {
      let begin = now
      defer {
        let used = now - begin
        if used > perInput {
          let seed = ProcessInfo.processInfo.environment["RALLY_TEST_SEED"] ?? "0"
          Issue.record(
            "\(used) of processor time with RALLY_TEST_SEED=\(seed) for \(input().prefix(300))",
            sourceLocation: sourceLocation)
        }
      }
      return try work()
    }

    /// The CPU time of this thread.
    private static var now: Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  }
#endif
