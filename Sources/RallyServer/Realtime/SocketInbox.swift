import NIOCore
import Synchronization

/// The messages of one socket on their way to the hub: in order, one at a time.
///
/// A task exists only while there is something to deliver, since idle sockets are many.
final class SocketInbox: Sendable {
  enum Item: Hashable, Sendable {
    case begin
    case text(String)
    case binary(ByteBuffer)
    /// The connection is closed.
    case end
  }

  /// Waiting messages at which no more is read from the connection.
  static let limit = 16

  private struct State {
    var waiting = CircularBuffer<Item>.small
    /// nil before the hub knows of the socket.
    var socket: Int?
    var isDelivering = false
    var isHeld = false
  }

  private let hub: RealtimeHub
  private let outbox: SocketOutbox
  private let state = Mutex(State())
  private let resume: @Sendable () -> Void

  /// - Parameter resume: Called when reading that was held may go on.
  init(hub: RealtimeHub, outbox: SocketOutbox, resume: @escaping @Sendable () -> Void) {
    self.hub = hub
    self.outbox = outbox
    self.resume = resume
  }

  func add(_ item: Item) {
    let isIdle = state.withLock { state in
      state.waiting.append(item)
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    if isIdle { Task { await deliver() } }
  }

  /// Whether reading must wait for `resume`.
  func holdsReading() -> Bool {
    state.withLock { state in
      state.isHeld = state.waiting.count >= SocketInbox.limit
      return state.isHeld
    }
  }

  private func deliver() async {
    let socket = await number()
    while let item = next() {
      switch item {
      case .begin: break
      case .text(let text):
        if let message = outbox.serializer.message(text) {
          await hub.receive(message, from: socket)
        }
      case .binary(let data):
        if let message = outbox.serializer.message(Array(data.readableBytesView)) {
          await hub.receive(message, from: socket)
        }
      case .end: await hub.disconnect(socket)
      }
    }
  }

  /// The socket's number in the hub.
  private func number() async -> Int {
    if let known = state.withLock({ $0.socket }) { return known }
    let number = await hub.connect(outbox)
    state.withLock { $0.socket = number }
    return number
  }

  private func next() -> Item? {
    let (item, mayResume) = state.withLock { state in
      let item = state.waiting.takeFirst()
      state.isDelivering = item != nil
      let mayResume = state.isHeld && state.waiting.count < SocketInbox.limit
      if mayResume { state.isHeld = false }
      return (item, mayResume)
    }
    if mayResume { resume() }
    return item
  }
}
