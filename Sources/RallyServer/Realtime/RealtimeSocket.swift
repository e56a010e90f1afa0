import Logging
import NIOCore
import NIOWebSocket
import RallyWire

/// One WebSocket: frames in to the hub, messages out of its outbox.
struct RealtimeSocket: Sendable {
  typealias Channel = NIOAsyncChannel<SocketInput, WebSocketFrame>

  /// How long a client may take to read and answer the last frame.
  private static let farewell = TimeAmount.seconds(1)

  let hub: RealtimeHub
  let serializer: RealtimeSerializer
  let budgets: BudgetKeeper
  /// See `ServerConfiguration.slowFarewell`.
  let slowFarewell: Duration
  let metrics: ServerMetrics

  func run(_ socket: Channel) async throws {
    let channel = socket.channel
    let outbox = SocketOutbox(serializer: serializer) { [slowFarewell] isSlow in
      let patience = isSlow ? TimeAmount(slowFarewell) : RealtimeSocket.farewell
      channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
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

  /// Reads to the end of the connection. After the last frame was queued, by whomever, what still
  /// comes is read and dropped: unread bytes would turn the end into a reset.
  private func read(
    _ inbound: NIOAsyncChannelInboundStream<SocketInput>, socket: Int, outbox: SocketOutbox
  ) async throws {
    var assembler = MessageAssembler()
    var pace = Pace(Double(budgets[.framesPerSocket]))
    for try await input in inbound {
      guard case .frame(let frame) = input else {
        switch input {
        case .broken(let code): outbox.close(Int(UInt16(webSocketErrorCode: code)))
        case .silent, .frame: outbox.close(1000, reason: "timeout")
        }
        continue
      }
      guard pace.take() else {
        budgets.didRefuse(.framesPerSocket)
        outbox.close(1008, reason: "too many messages per second")
        continue
      }
      do throws(MessageAssembler.Violation) {
        switch try assembler.take(frame) {
        case _ where outbox.isClosed && frame.opcode != .connectionClose: continue
        case .text(let text)?: await receive(serializer.message(text), from: socket)
        case .binary(let data)?:
          guard serializer.takesBinary else {
            outbox.close(1003, reason: "text only")
            continue
          }
          await receive(serializer.message(Array(data.readableBytesView)), from: socket)
        case .ping(let data)?: outbox.add(.pong(Array(data.readableBytesView)))
        case .close(let code)?: return outbox.close(code ?? 1000)
        case .pong?, nil: break
        }
      } catch {
        outbox.close(error.code, reason: error.reason)
      }
    }
  }

  private func receive(_ message: ClientMessage?, from socket: Int) async {
    if let message { await hub.receive(message, from: socket) }
  }

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
