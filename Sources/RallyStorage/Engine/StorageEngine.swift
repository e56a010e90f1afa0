/// A database behind `Storage`.
package protocol StorageEngine: Sendable {
  var waitingWrites: Int { get }

  /// Calls `body` after every commit, from a thread of the engine.
  func onCommit(_ body: @escaping @Sendable () -> Void)

  /// Calls `body` when the feed may have entries of other processes.
  func onChange(_ body: @escaping @Sendable () -> Void)

  /// Called when another process has written to the database.
  func othersWrote()

  /// - Parameter limit: See `Storage.read`.
  func read<T: Sendable>(
    within limit: Duration?, _ work: @escaping Storage.Work<T>
  ) async throws -> T
  func write<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T
  func count<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T
  func close() throws
}

extension StorageEngine {
  package func othersWrote() {}

  package func count<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T {
    try await write(work)
  }
}
