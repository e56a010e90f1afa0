import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import RallyRules
import RallyWire

/// A connection that speaks HTTP/1.1; any of its requests may make it a WebSocket.
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
  let certificate: TLSCertificate?
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
      let pipeline = channel.pipeline.syncOperations
      if let certificate, ClientAddress(channel.remoteAddress) != nil {
        try pipeline.addHandler(certificate.handler())
      }
      let requestGuard = RequestGuard(limits: limits, budgets: budgets)
      let (watch, marker) = (ByteWatch(requestGuard), AnswerMarker())
      let (encoder, decoder) = (HTTPResponseEncoder(), UpgradeGate.makeDecoder())
      let validator = NIOHTTPResponseHeadersValidator()
      let mode = channel.eventLoop.makePromise(of: Mode.self)
      let gate = UpgradeGate(
        mode: mode, encoder: encoder, decoder: decoder, requestGuard: requestGuard,
        leavingWith: [watch, marker, requestGuard, validator],
        accept: { head in
          accept(head) && webSocketLimiter.take(for: channel, address: client(channel, head))
        },
        plain: { try plain($0, logger: logger) }, upgrader: upgrader)
      try pipeline.addHandlers([watch, encoder, decoder, marker, requestGuard, gate, validator])
      return Value(mode: mode.futureResult, channel: channel)
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

  private var upgrader: RealtimeUpgrader {
    RealtimeUpgrader { channel, head in
      // Waiting frames are counted in the outbox, and discarded input by the socket; by itself the
      // kernel lets its buffers grow to many megabytes.
      let size = WebSocketUpgradeChannel.kernelBuffer
      try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: size)
      try channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: size)
      return [IdleStateHandler(readTimeout: socketIdleTimeout), try socket(channel, head)]
    }
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

/// Repeats each request's `Rally-Request` as `Rally-Answer` of the response to it.
///
/// It stands next to the decoder, so that every response with a known request is marked, also
/// those of the guard. A response of an upgrade is marked with `headers(for:)`.
final class AnswerMarker: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Of the requests without a response, in order; nil for one without a mark.
  private var marks = CircularBuffer<String?>()

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) { marks.append(AnswerMarker.mark(of: head)) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data),
      head.status.code >= 200 || head.status == .switchingProtocols, let mark = marks.popFirst(),
      let mark
    else { return context.write(data, promise: promise) }
    head.headers.replaceOrAdd(name: AnswerMark.answerHeader, value: mark)
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }

  /// The headers of a response to this request.
  static func headers(for head: HTTPRequestHead) -> HTTPHeaders {
    mark(of: head).map { [AnswerMark.answerHeader: $0] } ?? HTTPHeaders()
  }

  private static func mark(of head: HTTPRequestHead) -> String? {
    head.headers.first(name: AnswerMark.requestHeader).flatMap {
      AnswerMark.isValid($0) ? $0 : nil
    }
  }
}
