import NIOCore
import NIOHTTP1
import RallyRules

/// Enforces `HTTPLimits` on one connection: sizes, counts, and timeouts for head, body and
/// response.
///
/// It follows the decoder, so that refused requests reach no other handler. Its `ByteWatch`, before
/// the decoder, reports bytes of incomplete requests. Both are removed at the upgrade to a
/// WebSocket.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private enum Phase {
    /// No byte of the next request has arrived.
    case waiting
    /// Bytes of an incomplete head.
    case head(Int)
    /// Bytes that the body may still have.
    case body(Int)
    /// Refused; nothing is read or written any more.
    case refused
  }

  /// How long a refused client may take to read the response. Its input is discarded meanwhile:
  /// closing with unread input would send a reset, and the response would be lost.
  private static let farewell = TimeAmount.milliseconds(500)

  private let limits: HTTPLimits
  private let budgets: BudgetKeeper
  private var phase = Phase.waiting
  /// Requests that were passed on and have no complete response yet.
  private var unanswered = 0
  private var isAnswering = false
  /// Whether the newest request that was passed on has an earlier version than 1.1.
  private var isOld = false
  /// It is the last one: the connection ends with its answer.
  private var isLast = false
  /// When the head or body, and when the answer, must be complete.
  private var requestDeadline: NIODeadline?
  private var answerDeadline: NIODeadline?
  private var alarm: (time: NIODeadline, task: Scheduled<Void>)?
  private var context: ChannelHandlerContext?

  init(limits: HTTPLimits, budgets: BudgetKeeper) {
    self.limits = limits
    self.budgets = budgets
  }

  /// Bytes of a body. Routes accept half as many, with their own error.
  private var bodyLimit: Int { 2 * budgets[.bodyBytes] }

  /// Whether no earlier request waits for its response.
  var isAlone: Bool { unanswered == 1 && !isAnswering }

  // MARK: - Lifetime

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    requestDeadline = .now() + TimeAmount(limits.headTime)
    setTimer(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    stopTimer()
    self.context = nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    stopTimer()
    context.fireChannelInactive()
  }

  // MARK: - What comes

  /// Called before bytes are decoded; false if they are to be discarded.
  func arrived(_ count: Int) -> Bool {
    switch phase {
    case .waiting:
      phase = .head(count)
      if requestDeadline == nil {
        requestDeadline = .now() + TimeAmount(limits.headTime)
        if let context { setTimer(context) }
      }
    case .head(let before): phase = .head(before + count)
    case .body: break
    case .refused: return false
    }
    return true
  }

  /// Called after bytes were decoded.
  func decoded() {
    if case .head(let count) = phase, count > limits.head, let context {
      refuse(.requestHeaderFieldsTooLarge, context)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .refused = phase { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      // Nothing follows the last one.
      if isLast { return }
      if let status = problem(of: head) { return refuse(status, context) }
      unanswered += 1
      isOld = head.version != .http1_1
      isLast = RequestGuard.isLast(head)
      if head.headers.contains(name: "expect"), isAlone { sendContinue(context) }
      phase = .body(bodyLimit)
      requestDeadline = .now() + TimeAmount(limits.bodyTime)
    case .body(let bytes):
      guard case .body(let room) = phase else { return }
      guard bytes.readableBytes <= room else {
        budgets.didRefuse(.bodyBytes)
        return refuse(.payloadTooLarge, context)
      }
      phase = .body(room - bytes.readableBytes)
    case .end:
      guard case .body = phase else { return }
      phase = .waiting
      requestDeadline = nil
    }
    context.fireChannelRead(data)
  }

  /// RFC 9112 section 9.3: `close`, or an earlier version than 1.1, whose `keep-alive` is not offered.
  private static func isLast(_ head: HTTPRequestHead) -> Bool {
    head.version != .http1_1
      || head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
  }

  /// The client waits for this before it sends the body: RFC 9110 section 10.1.1.
  private func sendContinue(_ context: ChannelHandlerContext) {
    guard !isOld else { return }
    let head = HTTPResponseHead(version: .http1_1, status: .continue)
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
  }

  /// Sizes are checked again, since the decoder may have received a whole head at once.
  private func problem(of head: HTTPRequestHead) -> HTTPResponseStatus? {
    // RFC 9112 section 3.2.
    let hosts = head.headers["host"].count
    guard hosts == 1 || hosts == 0 && head.version != .http1_1 else { return .badRequest }
    guard head.headers[canonicalForm: "expect"].allSatisfy({ $0.lowercased() == "100-continue" })
    else { return .expectationFailed }
    guard head.uri.utf8.count + 20 <= limits.requestLine else { return .uriTooLong }
    let size = head.headers.reduce(head.uri.utf8.count) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
    guard head.headers.count <= limits.headers, size <= limits.head else {
      return .requestHeaderFieldsTooLarge
    }
    if let length = head.headers.first(name: "content-length").flatMap(Int.init),
      length > bodyLimit
    {
      budgets.didRefuse(.bodyBytes)
      return .payloadTooLarge
    }
    let encodings = head.headers[canonicalForm: "content-encoding"]
    guard encodings.allSatisfy({ $0.lowercased() == "identity" }) else {
      return .unsupportedMediaType
    }
    return nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is HTTPParserError else { return context.fireErrorCaught(error) }
    refuse(.badRequest, context)
  }

  // MARK: - What goes

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .refused = phase {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(var head) where head.status.code >= 200 || head.status == .switchingProtocols:
      isAnswering = true
      answerDeadline = .now() + TimeAmount(limits.answerTime)
      setTimer(context)
      guard isLast, unanswered == 1 else { break }
      // An earlier version has no chunks.
      if isOld { head.version = .http1_0 }
      head.headers.replaceOrAdd(name: "Connection", value: "close")
      return context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .head: break
    case .body:
      // A stream of events has no end: the client has this time for each part.
      let written = promise ?? context.eventLoop.makePromise()
      let guarded = NIOLoopBound(self, eventLoop: context.eventLoop)
      written.futureResult.whenSuccess { guarded.value.didWritePart() }
      return context.write(data, promise: written)
    case .end:
      isAnswering = false
      unanswered -= 1
      let written = promise ?? context.eventLoop.makePromise()
      let guarded = NIOLoopBound(self, eventLoop: context.eventLoop)
      written.futureResult.whenComplete { _ in
        if guarded.value.unanswered == 0 { guarded.value.answerDeadline = nil }
      }
      context.write(data, promise: written)
      if isLast, unanswered == 0 { end(context) }
      return
    }
    context.write(data, promise: promise)
  }

  /// The client took what was written last, and has as much time again for what follows.
  private func didWritePart() {
    if answerDeadline != nil { answerDeadline = .now() + TimeAmount(limits.answerTime) }
  }

  /// Responds with the reason, unless an earlier response is being sent, and closes the connection.
  private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
    let isAnswered: Bool
    switch phase {
    case .refused: return
    case .body: isAnswered = unanswered == 0
    case .waiting, .head: isAnswered = false
    }
    phase = .refused
    stopTimer()
    // A head that was passed on may have no response yet: then this is its response.
    guard !isAnswering, !isAnswered, unanswered <= 1 else { return context.close(promise: nil) }
    let body = ByteBuffer(string: "{\"message\":\"\(status.reasonPhrase)\"}")
    let head = HTTPResponseHead(
      version: .http1_1, status: status,
      headers: [
        "Content-Type": "application/json", "Content-Length": "\(body.readableBytes)",
        "Connection": "close",
      ])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    sayFarewell(context)
  }

  /// Ends the connection behind its last answer.
  private func end(_ context: ChannelHandlerContext) {
    phase = .refused
    context.flush()
    context.close(mode: .output, promise: nil)
    sayFarewell(context)
  }

  private func sayFarewell(_ context: ChannelHandlerContext) {
    let channel = context.channel
    context.eventLoop.scheduleTask(in: RequestGuard.farewell) { channel.close(promise: nil) }
  }

  // MARK: - Time

  /// One task serves all deadlines.
  private func setTimer(_ context: ChannelHandlerContext) {
    let next = [requestDeadline, answerDeadline].compactMap(\.self).min()
    guard let next, alarm.map({ next < $0.time }) ?? true else { return }
    alarm?.task.cancel()
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let task = context.eventLoop.scheduleTask(deadline: next) { bound.value.wake() }
    alarm = (next, task)
  }

  private func wake() {
    alarm = nil
    guard let context else { return }
    let now = NIODeadline.now()
    if let deadline = answerDeadline, deadline <= now { return context.close(promise: nil) }
    guard let deadline = requestDeadline, deadline <= now else { return setTimer(context) }
    switch phase {
    case .waiting: context.close(promise: nil)
    case .head, .body: refuse(.requestTimeout, context)
    case .refused: break
    }
  }

  private func stopTimer() {
    alarm?.task.cancel()
    alarm = nil
  }
}

/// Reports bytes to the guard before they are decoded.
final class ByteWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let requestGuard: RequestGuard

  init(_ requestGuard: RequestGuard) { self.requestGuard = requestGuard }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard requestGuard.arrived(unwrapInboundIn(data).readableBytes) else { return }
    context.fireChannelRead(data)
    requestGuard.decoded()
  }
}

/// Limits of HTTP on one connection: sizes of heads, and timeouts.
public struct HTTPLimits: Hashable, Sendable {
  /// Bytes of method, address and version.
  public var requestLine = 8 << 10
  /// Bytes of the request line and all headers.
  public var head = 32 << 10
  public var headers = 100
  /// Timeout for a head, from its first byte; for the first head from the start of the connection,
  /// so that it includes the TLS handshake.
  public var headTime = Duration.seconds(10)
  /// Timeout for a body.
  public var bodyTime = Duration.seconds(30)
  /// Timeout for a client to read a part of a response, from the last byte that it took on.
  public var answerTime = Duration.seconds(60)
  /// Timeout of an idle connection.
  public var idleTime = Duration.seconds(75)

  public init() {}
}
