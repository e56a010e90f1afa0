import NIOCore
import NIOHTTP1

/// Lets only acceptable WebSocket requests reach NIO's upgrade handler.
///
/// swift-nio 2.101 loses the head of a request that asks for an upgrade which nobody takes, so the
/// client would get no answer at all. Without its `Upgrade` header the request goes to the router,
/// which says 401, 404 or 426.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private let accept: @Sendable (HTTPRequestHead) -> Bool

  init(accept: @escaping @Sendable (HTTPRequestHead) -> Bool) { self.accept = accept }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.headers.contains(name: "upgrade")
    else { return context.fireChannelRead(data) }
    let wanted = head.headers[canonicalForm: "upgrade"]
    let isWebSocket =
      wanted.count == 1 && wanted[0].lowercased() == "websocket" && head.method == .GET
    guard !(isWebSocket && accept(head)) else { return context.fireChannelRead(data) }
    head.headers.remove(name: "upgrade")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
