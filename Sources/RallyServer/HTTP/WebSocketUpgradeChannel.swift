import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// A connection that speaks HTTP/1.1 and may become a WebSocket.
struct WebSocketUpgradeChannel: ServerChildChannel, HTTPChannelHandler {
  enum Mode: Sendable {
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    /// Its handler does everything.
    case socket
  }

  struct Value: ServerChildChannelValue {
    let mode: EventLoopFuture<Mode>
    let channel: any Channel
  }

  /// Bytes of each of the kernel's two buffers of a WebSocket; the kernel allocates twice as many.
  private static let kernelBuffer: SocketOptionValue = 64 << 10

  let responder: HTTPChannelHandler.Responder
  let connections: ConnectionRegistry
  let webSocketLimiter: WebSocketLimiter
  let limits: HTTPLimits
  let budgets: BudgetKeeper
  /// nil without TLS; Unix sockets never use it.
  let certificate: ServerCertificate?
  let socketIdleTimeout: TimeAmount
  /// Whether the upgrade is accepted; otherwise the request is served over HTTP.
  let accept: @Sendable (HTTPRequestHead) -> Bool
  /// The address that a socket counts for; nil for none.
  let client: @Sendable (any Channel, HTTPRequestHead) -> ClientAddress?
  let socket: @Sendable (any Channel, HTTPRequestHead) throws -> RealtimeSocket

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
      if let certificate, ClientAddress(channel.remoteAddress) != nil {
        try pipeline.addHandler(certificate.handler())
      }
      let requestGuard = RequestGuard(limits: limits, budgets: budgets)
      let watch = ByteWatch(requestGuard)
      try pipeline.addHandler(watch)
      let mode = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      let marker = AnswerMarker()
      try pipeline.addHandler(marker, position: .after(decoder))
      try pipeline.addHandler(requestGuard, position: .after(marker))
      let gate = UpgradeGate(leavingWith: [watch, marker, requestGuard]) { head in
        accept(head) && webSocketLimiter.take(for: channel, address: client(channel, head))
      }
      try pipeline.addHandler(gate, position: .after(requestGuard))
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
      maxFrameSize: MessageAssembler.messageLimit,
      enableAutomaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeSucceededFuture(AnswerMarker.headers(for: head))
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          // Waiting frames are counted in the outbox, and discarded input by the socket; by itself
          // the kernel lets its buffers grow to many megabytes.
          let size = WebSocketUpgradeChannel.kernelBuffer
          try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: size)
          try channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: size)
          try pipeline.addHandlers([
            IdleStateHandler(readTimeout: socketIdleTimeout), socket(channel, head),
          ])
          return .socket
        }
      })
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.mode.get() {
      case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
      case .socket: break
      }
    } catch {
      logger.debug("connection: \(error)")
    }
  }
}
