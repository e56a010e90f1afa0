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
