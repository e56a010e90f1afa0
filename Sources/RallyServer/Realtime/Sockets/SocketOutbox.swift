import NIOCore
import RallyRules
import RallyWire
import Synchronization

/// The queue of frames to be written to a socket.
///
/// Bounded: a client that reads too slowly is disconnected with `tooSlow`. After it has reconnected
/// it fetches what it missed.
package final class SocketOutbox: Sendable {
  package enum Item: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
    case pong([UInt8])
    case close(code: Int, reason: String)

    /// Approximate bytes of memory.
    fileprivate var size: Int {
      switch self {
      case .text(let text): text.utf8.count + 64
      case .binary(let data), .pong(let data): data.count + 64
      case .close: 0
      }
    }
  }

  /// Maximum bytes of queued frames.
  static let limit = 1 << 20
  /// "Try again later", of IANA's registry of close codes.
  static let tooSlow = 1013

  private struct State {
    var items = CircularBuffer<Item>.small
    var waiting = 0
    var isClosed = false
    /// Whether the writer was called and has not found the queue empty since.
    var isWriting = false
  }

  let serializer: RealtimeSerializer
  private let state = Mutex(State())
  /// Where frames are written; nil if that does not matter.
  let loop: (any EventLoop)?
  /// Takes `next` until it is nil.
  let write: @Sendable () -> Void
  private let onClose: @Sendable () -> Void

  /// - Parameters:
  ///   - write: Called when frames wait that no earlier call takes.
  ///   - onClose: Called once, when the last frame is queued.
  package init(
    serializer: RealtimeSerializer, loop: (any EventLoop)? = nil,
    write: @escaping @Sendable () -> Void = {}, onClose: @escaping @Sendable () -> Void
  ) {
    self.serializer = serializer
    self.loop = loop
    self.write = write
    self.onClose = onClose
  }

  // MARK: - Putting in

  func send(_ message: RealtimeMessage) {
    let text = serializer.text(message)
    add(.text(text))
  }

  func add(_ item: Item) {
    if put(item) { write() }
  }

  /// Queues a frame.
  ///
  /// - Returns: Whether nobody takes it unless `write` is called.
  func put(_ item: Item) -> Bool {
    let (isIdle, isOver) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.items.append(item)
      state.waiting += item.size
      if case .close = item { state.isClosed = true }
      if state.waiting > SocketOutbox.limit {
        state.items = [.close(code: SocketOutbox.tooSlow, reason: "too slow a reader")]
        state.waiting = 0
        state.isClosed = true
      }
      defer { state.isWriting = true }
      return (!state.isWriting, state.isClosed)
    }
    if isOver { onClose() }
    return isIdle
  }

  /// Queues the close frame; later frames are dropped.
  func close(_ code: Int, reason: String = "") {
    // A control frame has room for 125 bytes, two of which are the code.
    add(.close(code: code, reason: String(decoding: reason.utf8.prefix(120), as: UTF8.self)))
  }

  /// Ends the queue without a close frame.
  func finish() { state.withLock { $0.isClosed = true } }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: - Taking out

  /// Removes the next frame; nil if there is none now. For one consumer.
  func next() -> Item? {
    state.withLock { state in
      guard let item = state.items.takeFirst() else {
        state.isWriting = false
        return nil
      }
      state.waiting -= item.size
      return item
    }
  }

  /// Removes and returns all queued frames.
  package func takeAll() -> [Item] {
    state.withLock { state in
      defer {
        state.items.removeAll()
        state.waiting = 0
      }
      return Array(state.items)
    }
  }
}

/// Frames for many sockets: each event loop is woken once for those that it serves, not for each.
struct FrameBatch {
  /// Sockets of a loop that do not wait for the rest of the batch.
  private static let limit = 64

  private var waiting: [(loop: any EventLoop, outboxes: [SocketOutbox])] = []

  mutating func add(_ item: SocketOutbox.Item, to outbox: SocketOutbox) {
    guard outbox.put(item) else { return }
    guard let loop = outbox.loop else { return outbox.write() }
    guard let place = waiting.firstIndex(where: { $0.loop === loop }) else {
      return waiting.append((loop, [outbox]))
    }
    waiting[place].outboxes.append(outbox)
    if waiting[place].outboxes.count == FrameBatch.limit {
      FrameBatch.write(waiting.remove(at: place).outboxes, on: loop)
    }
  }

  /// Writes what was added; the end of every batch.
  mutating func finish() {
    for (loop, outboxes) in waiting { FrameBatch.write(outboxes, on: loop) }
    waiting = []
  }

  private static func write(_ outboxes: [SocketOutbox], on loop: any EventLoop) {
    loop.execute { for outbox in outboxes { outbox.write() } }
  }
}

// For queues of sockets: of many sockets few have anything in them.
extension CircularBuffer {
  /// Elements for which an empty queue keeps room.
  private static var keptCapacity: Int { 16 }

  /// A queue without room for more than one element.
  static var small: Self { Self(initialCapacity: 1) }

  /// Removes the first element; an empty queue keeps no room for the largest burst that it had.
  mutating func takeFirst() -> Element? {
    if let element = popFirst() { return element }
    if capacity > Self.keptCapacity { self = .small }
    return nil
  }
}
