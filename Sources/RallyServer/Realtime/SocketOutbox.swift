import NIOCore
import RallyWire
import Synchronization

/// The queue of frames to be written to a socket.
///
/// Bounded: a client that reads too slowly is disconnected with `tooSlow`. After it has reconnected
/// it fetches what it missed.
final class SocketOutbox: Sendable {
  enum Item: Hashable, Sendable {
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
    var items = CircularBuffer<Item>()
    var waiting = 0
    var isClosed = false
    var reader: CheckedContinuation<Item?, Never>?
  }

  let serializer: RealtimeSerializer
  private let state = Mutex(State())
  private let onClose: @Sendable () -> Void

  /// - Parameter onClose: Called once, when the last frame is queued.
  init(serializer: RealtimeSerializer, onClose: @escaping @Sendable () -> Void) {
    self.serializer = serializer
    self.onClose = onClose
  }

  // MARK: - Putting in

  func send(_ message: RealtimeMessage) {
    guard let text = try? serializer.text(message) else { return }
    add(.text(text))
  }

  func add(_ item: Item) {
    let (reader, next, isOver): (CheckedContinuation<Item?, Never>?, Item?, Bool) =
      state.withLock { state in
        guard !state.isClosed else { return (nil, nil, false) }
        state.items.append(item)
        state.waiting += item.size
        if case .close = item { state.isClosed = true }
        if state.waiting > SocketOutbox.limit {
          state.items = [.close(code: SocketOutbox.tooSlow, reason: "too slow a reader")]
          state.waiting = 0
          state.isClosed = true
        }
        guard let reader = state.reader else { return (nil, nil, state.isClosed) }
        state.reader = nil
        return (reader, SocketOutbox.takeFirst(&state), state.isClosed)
      }
    reader?.resume(returning: next)
    if isOver { onClose() }
  }

  /// Queues the close frame; later frames are dropped.
  func close(_ code: Int, reason: String = "") {
    // A control frame has room for 125 bytes, two of which are the code.
    add(.close(code: code, reason: String(decoding: reason.utf8.prefix(120), as: UTF8.self)))
  }

  /// Ends the queue without a close frame.
  func finish() {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      state.isClosed = true
      return state.reader
    }
    reader?.resume(returning: nil)
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  // MARK: - Taking out

  /// Waits for the next frame; nil after the last one and on cancellation. For one consumer.
  func next() async -> Item? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready: Item?? = state.withLock { state in
          if let item = SocketOutbox.takeFirst(&state) { return .some(item) }
          if state.isClosed { return .some(nil) }
          state.reader = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      finish()
    }
  }

  /// Removes and returns all queued frames.
  func takeAll() -> [Item] {
    state.withLock { state in
      defer {
        state.items.removeAll()
        state.waiting = 0
      }
      return Array(state.items)
    }
  }

  private static func takeFirst(_ state: inout State) -> Item? {
    guard let item = state.items.popFirst() else { return nil }
    state.waiting -= item.size
    return item
  }
}
