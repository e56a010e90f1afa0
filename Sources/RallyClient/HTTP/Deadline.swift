import RallySystem

/// A timeout for an async operation.
enum Deadline {
  /// Runs the work and cancels it after the limit.
  ///
  /// Returns only when the work has ended, so the work must react to cancellation.
  ///
  /// - Throws: `NetworkError.timedOut` after the limit; otherwise what the work throws.
  static func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      defer { group.cancelAll() }
      group.addTask(operation: work)
      group.addTask {
        try await DispatchSleep.for(limit)
        throw NetworkError.timedOut
      }
      for try await value in group { return value }
      throw CancellationError()
    }
  }
}
