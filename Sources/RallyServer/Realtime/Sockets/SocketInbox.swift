import NIOCore
import NIOWebSocket
import RallyRules
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
    /// nil before the hub has the socket.
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

/// Assembles a client's frames into messages (RFC 6455 section 5).
///
/// NIO checks the length of control frames and that they are not fragmented; all else is checked
/// here.
struct MessageAssembler {
  enum Message: Hashable, Sendable {
    case text(String)
    case binary(ByteBuffer)
    case ping(ByteBuffer)
    case pong
    /// nil when the client gave no code.
    case close(Int?)
  }

  /// A protocol violation: the close code and reason.
  struct Violation: Error, Hashable, Sendable {
    let code: Int
    let reason: String

    static func rules(_ reason: String) -> Violation { Violation(code: 1002, reason: reason) }
    static let tooLarge = Violation(code: 1009, reason: "message too large")
    static let notUTF8 = Violation(code: 1007, reason: "not UTF-8")
  }

  /// Maximum bytes of a message: a broadcast's payload of `broadcast-bytes` and its envelope.
  static let messageLimit = 3 << 17
  /// Maximum fragments of a message, since empty ones are not limited by bytes.
  static let fragmentLimit = 1024

  private var parts: ByteBuffer?
  private var isText = false
  private var fragments = 0

  /// - Returns: nil while a message is incomplete.
  mutating func take(_ frame: WebSocketFrame) throws(Violation) -> Message? {
    guard frame.maskKey != nil else { throw .rules("unmasked frame") }
    guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else { throw .rules("reserved bit") }
    let data = frame.unmaskedData
    switch frame.opcode {
    case .ping: return .ping(data)
    case .pong: return .pong
    case .connectionClose: return .close(try MessageAssembler.closeCode(data))
    case .text, .binary:
      guard parts == nil else { throw .rules("a message within a message") }
      isText = frame.opcode == .text
      fragments = 1
      return try add(data, isLast: frame.fin)
    case .continuation:
      guard parts != nil else { throw .rules("nothing to continue") }
      fragments += 1
      return try add(data, isLast: frame.fin)
    default: throw .rules("reserved opcode")
    }
  }

  private mutating func add(_ data: ByteBuffer, isLast: Bool) throws(Violation) -> Message? {
    guard (parts?.readableBytes ?? 0) + data.readableBytes <= MessageAssembler.messageLimit,
      fragments <= MessageAssembler.fragmentLimit
    else { throw .tooLarge }
    var whole = data
    if var begun = parts {
      // Keeps the buffer uniquely referenced, so that appending does not copy it.
      parts = nil
      begun.writeImmutableBuffer(data)
      whole = begun
    }
    guard isLast else {
      parts = whole
      return nil
    }
    guard isText else { return .binary(whole) }
    guard let text = String(validating: whole.readableBytesView, as: UTF8.self) else {
      throw .notUTF8
    }
    return .text(text)
  }

  /// Section 7.4: reserved and unassigned codes are invalid.
  private static func closeCode(_ data: ByteBuffer) throws(Violation) -> Int? {
    var data = data
    guard data.readableBytes > 0 else { return nil }
    guard let code = data.readInteger(as: UInt16.self) else { throw .rules("half a close code") }
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: break
    default: throw .rules("bad close code")
    }
    guard String(validating: data.readableBytesView, as: UTF8.self) != nil else { throw .notUTF8 }
    return Int(code)
  }
}
