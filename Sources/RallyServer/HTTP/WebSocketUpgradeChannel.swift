import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// A connection that speaks HTTP/1.1 and may become a WebSocket.
struct WebSocketUpgradeChannel: ServerChildChannel, HTTPChannelHandler {
  typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  enum Mode: Sendable {
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    case socket(Socket, HTTPRequestHead)
  }

  struct Value: ServerChildChannelValue {
    let mode: EventLoopFuture<Mode>
    let channel: any Channel
  }

  static let largestFrame = 1 << 18
  static let largestMessage = 1 << 20

  let responder: HTTPChannelHandler.Responder
  let connections: ConnectionRegistry
  let limits: HTTPLimits
  /// nil where nothing is encrypted.
  let certificate: ServerCertificate?
  let socketIdleTimeout: TimeAmount
  /// A request that is not accepted is answered over plain HTTP.
  let accept: @Sendable (HTTPRequestHead) -> Bool
  let run: @Sendable (Socket, HTTPRequestHead) async throws -> Void

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    guard connections.add(channel) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }
    return channel.eventLoop.makeCompletedFuture {
      var configuration = NIOUpgradableHTTPServerPipelineConfiguration(
        upgradeConfiguration: .init(
          upgraders: [upgrader],
          notUpgradingCompletionHandler: { channel in
            channel.eventLoop.makeCompletedFuture { try plain(channel, logger: logger) }
          }))
      configuration.enablePipelining = false
      configuration.enableErrorHandling = false
      let pipeline = channel.pipeline.syncOperations
      if let certificate { try pipeline.addHandler(certificate.handler()) }
      let requestGuard = RequestGuard(limits: limits)
      try pipeline.addHandler(ByteWatch(requestGuard))
      let mode = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(requestGuard, position: .after(decoder))
      try pipeline.addHandler(UpgradeGate(accept: accept), position: .after(requestGuard))
      return Value(mode: mode, channel: channel)
    }
  }

  private func plain(_ channel: any Channel, logger: Logger) throws -> Mode {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: certificate != nil))
    try pipeline.addHandler(
      HTTPConnectionStateHandler(idleTimeout: limits.idleTime, logger: logger))
    return .http(
      try NIOAsyncChannel(
        wrappingChannelSynchronously: channel,
        configuration: .init(isOutboundHalfClosureEnabled: true)))
  }

  private var upgrader: NIOTypedWebSocketServerUpgrader<Mode> {
    NIOTypedWebSocketServerUpgrader<Mode>(
      maxFrameSize: WebSocketUpgradeChannel.largestFrame,
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          // Raw frames must never reach these: they only understand requests.
          _ = pipeline.removeHandler(try pipeline.handler(type: UpgradeGate.self))
          _ = pipeline.removeHandler(try pipeline.handler(type: RequestGuard.self))
          _ = pipeline.removeHandler(try pipeline.handler(type: ByteWatch.self))
          try pipeline.addHandlers([
            IdleStateHandler(readTimeout: socketIdleTimeout), SilentSocketHandler(),
            MaskCheckHandler(),
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 64,
              maxAccumulatedFrameSize: WebSocketUpgradeChannel.largestMessage),
          ])
          return .socket(try Socket(wrappingChannelSynchronously: channel), head)
        }
      })
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.mode.get() {
      case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
      case .socket(let socket, let head): try await run(socket, head)
      }
    } catch {
      logger.debug("connection: \(error)")
    }
  }
}

/// Closes a socket from which nothing was heard for the idle timeout, as Phoenix does.
private final class SilentSocketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is IdleStateHandler.IdleStateEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    context.writeAndFlush(
      wrapOutboundOut(.close(.normalClosure, reason: "timeout")), promise: nil)
    context.close(promise: nil)
  }
}

/// Ends a connection whose client does not mask its frames (RFC 6455 section 5.1); NIO lets them
/// pass, and its aggregator would hide the fact.
private final class MaskCheckHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard unwrapInboundIn(data).maskKey == nil else { return context.fireChannelRead(data) }
    context.writeAndFlush(
      wrapOutboundOut(.close(.protocolError, reason: "unmasked frame")), promise: nil)
    context.close(promise: nil)
  }
}

extension WebSocketFrame {
  static func close(_ code: WebSocketErrorCode, reason: String = "") -> WebSocketFrame {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    data.writeString(reason)
    return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
  }
}
