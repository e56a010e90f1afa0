import Foundation
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOWebSocket
import RallyRules
import Synchronization

/// Decides for each request of a connection whether it becomes a WebSocket or is served over HTTP.
///
/// Any request may, also on a connection that was used before: proxies keep theirs. What serves HTTP is
/// made for the first request that is none, so that other sockets never pay for it.
///
/// A request whose upgrade is not taken goes on without its `Upgrade` header, so that the router
/// responds 401, 404 or 426, or to what else was asked.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias Mode = WebSocketUpgradeChannel.Mode
  typealias Decoder = ByteToMessageHandler<HTTPRequestDecoder>

  private let mode: EventLoopPromise<Mode>
  private let encoder: HTTPResponseEncoder
  private var decoder: Decoder
  private let requestGuard: RequestGuard
  /// The handlers of HTTP, other than encoder and decoder.
  private let others: [any ChannelHandler & RemovableChannelHandler]
  private let accept: @Sendable (HTTPRequestHead) -> Bool
  private let plain: @Sendable (any Channel) throws -> Mode
  private let upgrader: RealtimeUpgrader
  private var isDecided = false
  /// The decoder reads nothing behind this request, which asked for another protocol.
  private var isDecoderDone = false

  /// - Parameters:
  ///   - mode: Kept with what the first request makes of the connection, or failed.
  ///   - others: They are removed at the upgrade with this one, since frames may arrive in the same
  ///     read as its head.
  ///   - accept: Whether the upgrade is taken. Asked last, since it may take a place.
  ///   - plain: Adds what serves HTTP.
  init(
    mode: EventLoopPromise<Mode>, encoder: HTTPResponseEncoder, decoder: Decoder,
    requestGuard: RequestGuard, leavingWith others: [any ChannelHandler & RemovableChannelHandler],
    accept: @escaping @Sendable (HTTPRequestHead) -> Bool,
    plain: @escaping @Sendable (any Channel) throws -> Mode, upgrader: RealtimeUpgrader
  ) {
    self.mode = mode
    self.encoder = encoder
    self.decoder = decoder
    self.requestGuard = requestGuard
    self.others = others
    self.accept = accept
    self.plain = plain
    self.upgrader = upgrader
  }

  static func makeDecoder() -> Decoder {
    ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
  }

  // MARK: - What comes

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(var head):
      let wantsUpgrade = head.headers.contains(name: "upgrade")
      if wantsUpgrade, UpgradeGate.isHandshake(head), requestGuard.isAlone, accept(head) {
        return upgrade(context, data)
      }
      isDecoderDone = wantsUpgrade && UpgradeGate.isConnected(head) || head.method == .CONNECT
      head.headers.remove(name: "upgrade")
      serve(context, head)
    case .body: context.fireChannelRead(data)
    case .end:
      context.fireChannelRead(data)
      guard isDecoderDone else { return }
      isDecoderDone = false
      // Not while it decodes: what it still passes on are requests, and its successor takes bytes.
      let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      context.eventLoop.execute { gate.value.0.renewDecoder(gate.value.1) }
    }
  }

  private func serve(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) {
    if !isDecided {
      isDecided = true
      do {
        mode.succeed(try plain(context.channel))
      } catch {
        mode.fail(error)
        return context.close(promise: nil)
      }
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// swift-nio 2.101 stops decoding behind a request for another protocol, whatever becomes of it. The
  /// bytes that it has of later requests go to its successor.
  private func renewDecoder(_ context: ChannelHandlerContext) {
    let (former, pipeline) = (decoder, context.pipeline.syncOperations)
    decoder = UpgradeGate.makeDecoder()
    do {
      try pipeline.addHandler(decoder, position: .after(former))
      // What serves HTTP takes the requests of a read at its end.
      pipeline.removeHandler(former).assumeIsolated().whenComplete { _ in
        context.fireChannelReadComplete()
      }
    } catch {
      context.close(promise: nil)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if !isDecided, case ChannelEvent.inputClosed = event { return context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    guard !isDecided else { return }
    isDecided = true
    mode.fail(ChannelError.eof)
  }

  // MARK: - Upgrades

  /// Has NIO's handler do the rest, which serves one request only.
  private func upgrade(_ context: ChannelHandlerContext, _ head: NIOAny) {
    let pipeline = context.pipeline.syncOperations
    let handler = NIOTypedHTTPServerUpgradeHandler<Void>(
      httpEncoder: encoder, extraHTTPHandlers: [decoder],
      upgradeConfiguration: .init(
        upgraders: [upgrader],
        notUpgradingCompletionHandler: {
          $0.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }))
    do {
      try pipeline.addHandler(handler, position: .after(self))
    } catch {
      return context.close(promise: nil)
    }
    if !isDecided {
      isDecided = true
      handler.upgradeResultFuture.map { Mode.socket }.cascade(to: mode)
    }
    let channel = context.channel
    handler.upgradeResultFuture.whenFailure { _ in channel.close(promise: nil) }
    context.fireChannelRead(head)
    for handler in others + [self] { pipeline.removeHandler(handler, promise: nil) }
  }

  /// Whether `Upgrade` is meant for this connection: RFC 9110 section 7.8.
  private static func isConnected(_ head: HTTPRequestHead) -> Bool {
    head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
  }

  /// RFC 6455 section 4.2.1. NIO's upgrader closes without a response if a part is missing.
  private static func isHandshake(_ head: HTTPRequestHead) -> Bool {
    func values(_ name: String) -> [String] {
      head.headers[canonicalForm: name].map { $0.lowercased() }
    }
    let keys = head.headers["sec-websocket-key"]
    return head.method == .GET && values("upgrade") == ["websocket"]
      && isConnected(head) && values("sec-websocket-version") == ["13"]
      && keys.count == 1 && Data(base64Encoded: keys[0])?.count == 16
  }
}

/// Puts what speaks WebSocket where HTTP was decoded.
struct RealtimeUpgrader: NIOTypedHTTPServerProtocolUpgrader {
  let supportedProtocol = "websocket"
  let requiredUpgradeHeaders: [String] = []
  private let handshake: NIOTypedWebSocketServerUpgrader<Void>
  private let handlers: @Sendable (any Channel, HTTPRequestHead) throws -> [any ChannelHandler]

  /// - Parameter handlers: Those behind the frames. What may still serve HTTP behind them gets no
  ///   more of the connection than its end.
  init(
    handlers: @escaping @Sendable (any Channel, HTTPRequestHead) throws -> [any ChannelHandler]
  ) {
    self.handlers = handlers
    handshake = NIOTypedWebSocketServerUpgrader<Void>(
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeSucceededFuture(AnswerMarker.headers(for: head))
      }, upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
  }

  func buildUpgradeResponse(
    channel: any Channel, upgradeRequest: HTTPRequestHead, initialResponseHeaders: HTTPHeaders
  ) -> EventLoopFuture<HTTPHeaders> {
    handshake.buildUpgradeResponse(
      channel: channel, upgradeRequest: upgradeRequest,
      initialResponseHeaders: initialResponseHeaders)
  }

  func upgrade(channel: any Channel, upgradeRequest: HTTPRequestHead) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let place = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Void>.self)
      let frames: [any ChannelHandler] = [
        WebSocketFrameEncoder(),
        ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: MessageAssembler.messageLimit)),
      ]
      try pipeline.addHandlers(
        frames + (try handlers(channel, upgradeRequest)), position: .after(place))
      // It would close the connection as an idle one, or as one that is to end.
      if let state = try? pipeline.handler(type: HTTPConnectionStateHandler.self) {
        pipeline.removeHandler(state, promise: nil)
      }
    }
  }
}

/// Limits concurrent WebSockets, in total and per address. A slot belongs to a connection and is
/// released when it closes.
final class WebSocketLimiter: Sendable {
  private struct State {
    var taken: Set<ObjectIdentifier> = []
    var perAddress: [ClientAddress: Int] = [:]
  }

  private let budgets: BudgetKeeper
  private let state = Mutex(State())

  init(budgets: BudgetKeeper) { self.budgets = budgets }

  private func budget(of address: ClientAddress) -> Budget {
    address == .door ? .socketsPerDoor : .socketsPerAddress
  }

  /// - Parameter address: nil is not counted, as on a Unix socket.
  func isFull(for address: ClientAddress?) -> Bool {
    state.withLock { state in
      state.taken.count >= budgets[.sockets]
        || address.map { (state.perAddress[$0.group] ?? 0) >= budgets[budget(of: $0)] } ?? false
    }
  }

  /// Takes a slot; false if none is free. Idempotent per connection.
  func take(for channel: any Channel, address: ClientAddress?) -> Bool {
    let (id, address) = (ObjectIdentifier(channel), address?.group)
    let (hasSlot, isNew) = state.withLock { state in
      if state.taken.contains(id) { return (true, false) }
      guard budgets.allows(.sockets, beside: state.taken.count) else { return (false, false) }
      if let address {
        let count = state.perAddress[address, default: 0]
        guard budgets.allows(budget(of: address), beside: count) else { return (false, false) }
        state.perAddress[address] = count + 1
      }
      state.taken.insert(id)
      return (true, true)
    }
    if isNew {
      channel.closeFuture.whenComplete { [self] _ in
        state.withLock { state in
          state.taken.remove(id)
          if let address, let count = state.perAddress[address] {
            state.perAddress[address] = count > 1 ? count - 1 : nil
          }
        }
      }
    }
    return hasSlot
  }
}
