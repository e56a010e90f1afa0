import NIOCore
import Synchronization

/// A connection that is being opened. Cancelling the task that waits for it closes its channels,
/// since a NIO future is not cancelled with the task.
package final class OpeningChannel: Sendable {
  private struct State {
    var channels: [any Channel] = []
    var isClosed = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Waits for the work; closes the channels opened for it if the task is cancelled.
  package func wait<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
    try await withTaskCancellationHandler(operation: work, onCancel: close)
  }

  /// Call this in the initializer of each channel.
  package func add(_ channel: any Channel) {
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
