/// Follows a realtime service from `start` to `stop`.
///
/// A start that comes soon after a stop waits until the channel was left, so that the late leaving does not
/// end the new listening. Ends with its owner.
@MainActor
final class RealtimeListening {
  private var listening: Task<Void, Never>?
  private var leaving: Task<Void, Never>?

  deinit { listening?.cancel() }

  /// - Parameters:
  ///   - listen: Joins the channel; a failure ends the listening quietly.
  ///   - receive: Takes each event; it must not keep its owner alive.
  /// - Returns: False where it was started already, which changes nothing.
  func start<Event: Sendable>(
    _ listen: @escaping @Sendable () async throws -> AsyncStream<Event>,
    receive: @escaping @MainActor (Event) -> Void
  ) -> Bool {
    guard listening == nil else { return false }
    listening = Task { [leaving] in
      await leaving?.value
      guard !Task.isCancelled, let events = try? await listen() else { return }
      for await event in events {
        guard !Task.isCancelled else { return }
        receive(event)
      }
    }
    return true
  }

  /// - Parameter leave: Leaves the channel; what comes after is not received any more.
  /// - Returns: False where nothing was started, which changes nothing.
  func stop(_ leave: @escaping @Sendable () async -> Void) -> Bool {
    guard let listening else { return false }
    listening.cancel()
    self.listening = nil
    leaving = Task { await leave() }
    return true
  }
}
