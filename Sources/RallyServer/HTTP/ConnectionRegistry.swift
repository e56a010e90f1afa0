import Dispatch
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
  private let patience: Duration?
  private let onIdle: @Sendable () -> Void

  /// - Parameters:
  ///   - patience: How long nobody is connected before `onIdle`; nil for ever.
  ///   - onIdle: Called when nobody came for that long, after `watch` or the last connection.
  init(patience: Duration?, onIdle: @escaping @Sendable () -> Void) {
    self.patience = patience
    self.onIdle = onIdle
  }

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
      if let arrivals { waitForSomebody(after: arrivals) }
    }
  }

  /// Waits for the first connection.
  func watch() { waitForSomebody(after: 0) }

  private func waitForSomebody(after arrivals: Int) {
    guard let patience else { return }
    DispatchQueue.timers.asyncAfter(deadline: .now() + patience.seconds) { [weak self] in
      guard let self, isStillIdle(since: arrivals) else { return }
      onIdle()
    }
  }

  /// Whether nobody is connected and nobody was since `arrivals` connections had come.
  private func isStillIdle(since arrivals: Int) -> Bool {
    state.withLock { $0.channels.isEmpty && $0.arrivals == arrivals }
  }

  var count: Int { state.withLock { $0.channels.count } }

  /// Has every connection finish what it does and close, and waits for that.
  func drain() async {
    let channels = state.withLock { Array($0.channels.values) }
    for channel in channels {
      channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
    for channel in channels { try? await channel.closeFuture.get() }
  }

  func closeAll() {
    for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
  }
}

extension Duration {
  /// For dispatch.
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
