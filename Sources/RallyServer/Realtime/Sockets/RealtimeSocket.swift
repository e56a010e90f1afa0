import NIOCore
import NIOWebSocket
import RallyRules
import RallyWire

/// One WebSocket: frames in to the hub, frames out of its outbox. It alone decides how the
/// connection ends.
///
/// A handler instead of tasks: those cost an idle socket more memory than everything else.
final class RealtimeSocket: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// Sent through the pipeline to this handler by other threads.
  private enum Signal: Sendable {
    case write, read
  }

  /// Bytes of input that are discarded after the last frame was queued; more than the kernel's
  /// buffers of both ends hold.
  private static let discardLimit = 16 << 20

  private let budgets: BudgetKeeper
  private let metrics: ServerMetrics
  private let outbox: SocketOutbox
  private let inbox: SocketInbox
  /// See `ServerConfiguration.closeTimeout`.
  private let closeTimeout: TimeAmount
  private var assembler = MessageAssembler()
  private var pace: Pace
  private var discarded = 0
  /// An invalid frame came; nothing more can be decoded.
  private var isBroken = false
  private var holdsRead = false
  /// The client sends nothing more; what waits is written, then the connection is closed.
  private var isInputOver = false

  init(
    channel: any Channel, hub: RealtimeHub, serializer: RealtimeSerializer, budgets: BudgetKeeper,
    closeTimeout: Duration, metrics: ServerMetrics
  ) {
    self.budgets = budgets
    self.metrics = metrics
    self.closeTimeout = TimeAmount(closeTimeout)
    pace = Pace(Double(budgets[.framesPerSocket]))
    let signal = { @Sendable (signal: Signal) in
      channel.pipeline.fireUserInboundEventTriggered(signal)
    }
    let outbox = SocketOutbox(serializer: serializer, loop: channel.eventLoop) {
      signal(.write)
    } onClose: { [closeTimeout = self.closeTimeout] in
      RealtimeSocket.close(channel, after: closeTimeout)
    }
    self.outbox = outbox
    inbox = SocketInbox(hub: hub, outbox: outbox) { signal(.read) }
  }

  // MARK: - What comes

  /// Input that arrives after the last frame was queued is discarded: closing a socket with unread
  /// input makes the kernel send a reset, and the client loses the close frame.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard !outbox.isClosed else {
      discarded += frame.length
      if discarded > RealtimeSocket.discardLimit { context.close(promise: nil) }
      return
    }
    guard pace.take() else {
      budgets.didRefuse(.framesPerSocket)
      return outbox.close(1008, reason: "too many messages per second")
    }
    do throws(MessageAssembler.Violation) {
      if let message = try assembler.take(frame) { receive(message) }
    } catch {
      outbox.close(error.code, reason: error.reason)
    }
  }

  private func receive(_ message: MessageAssembler.Message) {
    switch message {
    case .text(let text): inbox.add(.text(text))
    case .binary(let data):
      guard outbox.serializer.takesBinary else { return outbox.close(1003, reason: "text only") }
      inbox.add(.binary(data))
    case .ping(let data): outbox.add(.pong(Array(data.readableBytesView)))
    case .close(let code): outbox.close(code ?? 1000)
    case .pong: break
    }
  }

  /// A client whose messages wait for the hub is read no further.
  func read(context: ChannelHandlerContext) {
    holdsRead = inbox.holdsReading()
    if !holdsRead { context.read() }
  }

  /// NIO's own handler of protocol errors would close at once, and with unread input the client
  /// could lose the close frame.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    // The decoder reports an error for each read after the first invalid byte.
    case is ByteToMessageDecoderError where isBroken: break
    case let error as NIOWebSocketError:
      isBroken = true
      let code: WebSocketErrorCode =
        switch error {
        case .invalidFrameLength: .messageTooLarge
        case .fragmentedControlFrame, .multiByteControlFrameLength: .protocolError
        }
      outbox.close(Int(UInt16(webSocketErrorCode: code)))
    default: context.close(promise: nil)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case Signal.write: write(context)
    case Signal.read where holdsRead: read(context: context)
    case is IdleStateHandler.IdleStateEvent: outbox.close(1000, reason: "timeout")
    case ChannelEvent.inputClosed: endInput(context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  private func endInput(_ context: ChannelHandlerContext) {
    isInputOver = true
    outbox.finish()
    RealtimeSocket.close(context.channel, after: closeTimeout)
    write(context)
  }

  /// For a client that does not read to the end.
  private static func close(_ channel: any Channel, after timeout: TimeAmount) {
    channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
  }

  func handlerAdded(context: ChannelHandlerContext) { inbox.add(.begin) }

  func handlerRemoved(context: ChannelHandlerContext) {
    outbox.finish()
    inbox.add(.end)
  }

  // MARK: - What goes

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { write(context) }
    context.fireChannelWritabilityChanged()
  }

  /// Writes what the outbox holds, as far as the client reads it. After the close frame the sending
  /// side is shut down, so that the client sees the end of the stream and closes.
  private func write(_ context: ChannelHandlerContext) {
    while context.channel.isWritable {
      guard let item = outbox.next() else {
        context.flush()
        if isInputOver { context.close(promise: nil) }
        return
      }
      switch item {
      case .text(let text): send(.text, ByteBuffer(string: text), context)
      case .binary(let data): send(.binary, ByteBuffer(bytes: data), context)
      case .pong(let data): send(.pong, ByteBuffer(bytes: data), context)
      case .close(let code, let reason):
        var data = ByteBuffer()
        data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: code))
        data.writeString(reason)
        send(.connectionClose, data, context)
        context.flush()
        return context.close(mode: .output, promise: nil)
      }
    }
    context.flush()
  }

  private func send(
    _ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext
  ) {
    let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
    context.write(wrapOutboundOut(frame), promise: nil)
    if opcode == .text || opcode == .binary { metrics.didSendFrame() }
  }
}
