import Logging
import NIOCore
import NIOWebSocket
import RallyWire

/// One WebSocket: frames in to the hub, messages out of its outbox.
struct RealtimeSocket: Sendable {
  typealias Channel = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  /// How long a client may take to answer a close frame.
  private static let farewell = TimeAmount.milliseconds(500)

  let hub: RealtimeHub
  let serializer: RealtimeSerializer
  let metrics: ServerMetrics

  func run(_ socket: Channel) async throws {
    let channel = socket.channel
    let outbox = SocketOutbox(serializer: serializer) { channel.close(promise: nil) }
    let id = await hub.connect(outbox)
    do {
      try await socket.executeThenClose { inbound, outbound in
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          tasks.addTask { try await write(outbox, to: outbound, of: channel) }
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

  private func read(
    _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, socket: Int, outbox: SocketOutbox
  ) async throws {
    for try await frame in inbound {
      var data = frame.unmaskedData
      switch frame.opcode {
      case .text:
        guard let text = String(validating: data.readableBytesView, as: UTF8.self) else {
          outbox.close(.dataInconsistentWithMessage, reason: "not UTF-8")
          continue
        }
        if let message = serializer.message(text) { await hub.receive(message, from: socket) }
      case .binary:
        // The second serializer sends broadcasts so, which are not offered.
        if serializer == .v1 { outbox.close(.unacceptableData, reason: "text only") }
      case .ping: outbox.pong(Array(data.readableBytesView))
      case .connectionClose:
        return outbox.close(data.readWebSocketErrorCode() ?? .normalClosure)
      default: break
      }
    }
  }

  private func write(
    _ outbox: SocketOutbox, to outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
    of channel: any NIOCore.Channel
  ) async throws {
    for await item in outbox.items {
      switch item {
      case .text(let text):
        try await outbound.write(
          WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
        outbox.didWrite(text)
        metrics.didSendFrame()
      case .pong(let data):
        try await outbound.write(
          WebSocketFrame(fin: true, opcode: .pong, data: ByteBuffer(bytes: data)))
      case .close(let code, let reason):
        try await channel.writeAndFlush(WebSocketFrame.close(code, reason: reason))
        // The client's answer ends the reader; a silent client is not waited for.
        channel.eventLoop.scheduleTask(in: RealtimeSocket.farewell) {
          channel.close(promise: nil)
        }
      }
    }
  }
}
