import NIOCore
import Synchronization

/// The open connections: how many there are, and a way to end them all.
final class ConnectionRegistry: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// Grows with every connection, so that a waiting idle check knows it is outdated.
    var arrivals = 0
  }

  private let state = Mutex(State())
  private let onIdle: @Sendable (_ arrivals: Int) -> Void

  /// - Parameter onIdle: Called whenever the last connection has closed.
  init(onIdle: @escaping @Sendable (_ arrivals: Int) -> Void) { self.onIdle = onIdle }

  func add(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    state.withLock { state in
      state.channels[id] = channel
      state.arrivals += 1
    }
    channel.closeFuture.whenComplete { [self] _ in
      let arrivals: Int? = state.withLock { state in
        state.channels[id] = nil
        return state.channels.isEmpty ? state.arrivals : nil
      }
      if let arrivals { onIdle(arrivals) }
    }
  }

  /// Whether nobody is connected and nobody was since `arrivals` connections had come.
  func isStillIdle(since arrivals: Int) -> Bool {
    state.withLock { $0.channels.isEmpty && $0.arrivals == arrivals }
  }

  var count: Int { state.withLock { $0.channels.count } }

  func closeAll() {
    for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
  }
}
