/// A limit on how long work may take as a whole.
enum Deadline {
  /// Runs the work, and cancels it once the limit has passed.
  ///
  /// Returns when the work has ended, so the work must end soon after it is cancelled.
  ///
  /// - Throws: `NetworkError.timedOut` after the limit; otherwise what the work throws.
  static func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      defer { group.cancelAll() }
      group.addTask(operation: work)
      group.addTask {
        try await Pause.for(limit)
        throw NetworkError.timedOut
      }
      for try await value in group { return value }
      throw CancellationError()
    }
  }
}
