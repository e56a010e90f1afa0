import NIOCore
import Synchronization

/// A connection that is being opened: cancelling the task that waits for it closes its channels, since
/// a future of NIO does not end with the task.
final class OpeningChannel: Sendable {
  private struct State {
    var channels: [any Channel] = []
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Waits for the work; closes what was opened for it when the task is cancelled.
  func wait<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
    try await withTaskCancellationHandler(operation: work, onCancel: close)
  }

  /// To be called by the initializer of each channel.
  func add(_ channel: any Channel) {
    let isClosed = state.withLock { state in
      state.channels.append(channel)
      return state.isClosed
    }
    if isClosed { channel.close(promise: nil) }
  }

  private func close() {
    let channels = state.withLock { state in
      state.isClosed = true
      return state.channels
    }
    for channel in channels { channel.close(promise: nil) }
  }
}
