import NIOCore
import NIOWebSocket

/// The input of a WebSocket.
enum SocketInput: Sendable {
  case frame(WebSocketFrame)
  /// The bytes are no valid frame; nothing more can be decoded.
  case broken(WebSocketErrorCode)
  /// No input for the idle timeout.
  case silent
}

/// Makes one sequence of frames, decoding errors and the idle timeout, so that `RealtimeSocket`
/// alone decides how a connection ends.
///
/// NIO's own handler would close at once, and with unread input the client could lose the close
/// frame.
final class SocketInputHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = SocketInput

  private var isBroken = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isBroken else { return }
    context.fireChannelRead(wrapInboundOut(.frame(unwrapInboundIn(data))))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is IdleStateHandler.IdleStateEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    context.fireChannelRead(wrapInboundOut(.silent))
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let problem = error as? NIOWebSocketError else {
      // The decoder reports an error for each read after the first invalid byte.
      if !(isBroken && error is ByteToMessageDecoderError) { context.fireErrorCaught(error) }
      return
    }
    guard !isBroken else { return }
    isBroken = true
    let code: WebSocketErrorCode =
      switch problem {
      case .invalidFrameLength: .messageTooLarge
      case .fragmentedControlFrame, .multiByteControlFrameLength: .protocolError
      }
    context.fireChannelRead(wrapInboundOut(.broken(code)))
    context.fireChannelReadComplete()
  }
}
