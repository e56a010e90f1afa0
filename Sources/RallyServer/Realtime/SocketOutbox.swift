import NIOWebSocket
import RallyWire
import Synchronization

/// The frames that wait to be written to one socket.
///
/// A client that reads too slowly is cut off instead of filling the server's memory; after it has
/// connected again it fetches what it missed.
final class SocketOutbox: Sendable {
  enum Item: Sendable {
    case text(String)
    case pong([UInt8])
    case close(WebSocketErrorCode, reason: String)
  }

  /// Bytes that may wait.
  static let limit = 1 << 20

  let items: AsyncStream<Item>
  private let serializer: RealtimeSerializer
  private let queue: AsyncStream<Item>.Continuation
  private let waiting = Mutex(0)
  private let abort: @Sendable () -> Void

  /// - Parameter abort: Ends the connection without waiting for its reader.
  init(serializer: RealtimeSerializer, abort: @escaping @Sendable () -> Void) {
    self.serializer = serializer
    self.abort = abort
    (items, queue) = AsyncStream.makeStream()
  }

  func send(_ message: RealtimeMessage) {
    guard let text = try? serializer.text(message) else { return }
    let size = waiting.withLock { waiting in
      waiting += text.utf8.count
      return waiting
    }
    guard size <= SocketOutbox.limit else {
      queue.finish()
      return abort()
    }
    queue.yield(.text(text))
  }

  func pong(_ data: [UInt8]) { queue.yield(.pong(data)) }

  /// The last frame.
  func close(_ code: WebSocketErrorCode, reason: String = "") {
    queue.yield(.close(code, reason: reason))
    queue.finish()
  }

  func finish() { queue.finish() }

  /// To be told when a text has been written.
  func didWrite(_ text: String) { waiting.withLock { $0 -= text.utf8.count } }
}
