/// A database behind `Storage`.
protocol StorageEngine: Sendable {
  /// How many writes wait for their turn.
  var waitingWrites: Int { get }

  /// Calls `body` after every commit, from a thread of the engine.
  func onCommit(_ body: @escaping @Sendable () -> Void)

  /// Calls `body` when there may be something in the feed that was not committed here.
  func onNews(_ body: @escaping @Sendable () -> Void)

  /// Another process has written into the same database.
  func othersWrote()

  /// - Parameter limit: How much of the engine's time the read may take; nil is any.
  func read<T: Sendable>(
    within limit: Duration?, _ work: @escaping Storage.Work<T>
  ) async throws -> T
  func write<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T
  func close() throws
}

extension StorageEngine {
  func othersWrote() {}
}
