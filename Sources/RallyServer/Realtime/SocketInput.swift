import NIOCore
import NIOWebSocket

/// What arrives on a socket, as its reader sees it.
enum SocketInput: Sendable {
  case frame(WebSocketFrame)
  /// The bytes are no frame, or one that is longer than allowed; nothing more can be read.
  case broken(WebSocketErrorCode)
  /// Nothing came for the idle timeout.
  case silent
}

/// Hands a socket's reader everything that happens as one sequence, so that one place decides how
/// the connection ends.
///
/// NIO's own handler would close at once; the client would lose the close frame to the reset that
/// follows when bytes of it were still unread.
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
      // The decoder complains about every byte after the first wrong one.
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
