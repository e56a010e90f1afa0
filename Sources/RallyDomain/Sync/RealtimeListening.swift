import RallyClient

/// Reads a realtime service's events from `start` to `stop`.
///
/// A start soon after a stop waits until the channel was left, so that the leave does not end the
/// new subscription. Ends when it is released.
@MainActor
final class RealtimeListening {
  private var listening: Task<Void, Never>?
  private var leaving: Task<Void, Never>?

  deinit { listening?.cancel() }

  /// - Parameters:
  ///   - listen: Joins the channel; a failure is ignored.
  ///   - receive: Takes each event; it must not retain the owner.
  /// - Returns: False if it was started already.
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

  /// - Parameter leave: Leaves the channel; later events are not received.
  /// - Returns: False if it was not started.
  func stop(_ leave: @escaping @Sendable () async -> Void) -> Bool {
    guard let listening else { return false }
    listening.cancel()
    self.listening = nil
    leaving = Task { await leave() }
    return true
  }
}
