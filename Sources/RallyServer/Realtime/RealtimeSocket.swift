import Logging
import NIOCore
import NIOWebSocket
import RallyWire

/// One WebSocket: frames in to the hub, messages out of its outbox.
struct RealtimeSocket: Sendable {
  typealias Channel = NIOAsyncChannel<SocketInput, WebSocketFrame>

  /// Bytes of input that are discarded after the last frame was queued; more than the kernel's
  /// buffers of both ends hold.
  private static let discardLimit = 16 << 20

  let hub: RealtimeHub
  let serializer: RealtimeSerializer
  let budgets: BudgetKeeper
  /// See `ServerConfiguration.closeTimeout`.
  let closeTimeout: Duration
  let metrics: ServerMetrics

  func run(_ socket: Channel) async throws {
    let channel = socket.channel
    let outbox = SocketOutbox(serializer: serializer) { [closeTimeout] in
      channel.eventLoop.scheduleTask(in: TimeAmount(closeTimeout)) { channel.close(promise: nil) }
    }
    let id = await hub.connect(outbox)
    do {
      try await socket.executeThenClose { inbound, outbound in
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          tasks.addTask { try await write(outbox, to: outbound) }
          do {
            try await read(inbound, socket: id, outbox: outbox)
          } catch {
            outbox.finish()
            throw error
          }
          outbox.finish()
          try await tasks.waitForAll()
        }
      }
    } catch {
      await hub.disconnect(id)
      throw error
    }
    await hub.disconnect(id)
  }

  /// Reads until the client closes the connection. Input that arrives after the last frame was queued
  /// is discarded: closing a socket with unread input makes the kernel send a reset, and the client
  /// loses the close frame.
  ///
  /// - Throws: The connection's error, or `Violation.tooLarge` for too much discarded input.
  private func read(
    _ inbound: NIOAsyncChannelInboundStream<SocketInput>, socket: Int, outbox: SocketOutbox
  ) async throws {
    var assembler = MessageAssembler()
    var pace = Pace(Double(budgets[.framesPerSocket]))
    var discarded = 0
    for try await input in inbound {
      if outbox.isClosed {
        if case .frame(let frame) = input { discarded += frame.length }
        guard discarded <= RealtimeSocket.discardLimit else {
          throw MessageAssembler.Violation.tooLarge
        }
        continue
      }
      switch input {
      case .broken(let code): outbox.close(Int(UInt16(webSocketErrorCode: code)))
      case .silent: outbox.close(1000, reason: "timeout")
      case .frame where !pace.take():
        budgets.didRefuse(.framesPerSocket)
        outbox.close(1008, reason: "too many messages per second")
      case .frame(let frame):
        do throws(MessageAssembler.Violation) {
          if let message = try assembler.take(frame) {
            await receive(message, from: socket, outbox: outbox)
          }
        } catch {
          outbox.close(error.code, reason: error.reason)
        }
      }
    }
  }

  private func receive(
    _ message: MessageAssembler.Message, from socket: Int, outbox: SocketOutbox
  ) async {
    let content: ClientMessage?
    switch message {
    case .text(let text): content = serializer.message(text)
    case .binary(let data):
      guard serializer.takesBinary else { return outbox.close(1003, reason: "text only") }
      content = serializer.message(Array(data.readableBytesView))
    case .ping(let data): return outbox.add(.pong(Array(data.readableBytesView)))
    case .close(let code): return outbox.close(code ?? 1000)
    case .pong: return
    }
    if let content { await hub.receive(content, from: socket) }
  }

  /// Writes what the outbox holds. After the close frame the sending side is shut down, so that the
  /// client sees the end of the stream and closes.
  private func write(
    _ outbox: SocketOutbox, to outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
  ) async throws {
    while let item = await outbox.next() {
      switch item {
      case .text(let text):
        try await outbound.write(.whole(.text, ByteBuffer(string: text)))
        metrics.didSendFrame()
      case .binary(let data):
        try await outbound.write(.whole(.binary, ByteBuffer(bytes: data)))
        metrics.didSendFrame()
      case .pong(let data): try await outbound.write(.whole(.pong, ByteBuffer(bytes: data)))
      case .close(let code, let reason):
        try await outbound.write(.close(code, reason: reason))
        outbound.finish()
        return
      }
    }
  }
}

extension WebSocketFrame {
  fileprivate static func whole(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, data: data)
  }

  fileprivate static func close(_ code: Int, reason: String) -> WebSocketFrame {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: code))
    data.writeString(reason)
    return .whole(.connectionClose, data)
  }
}
