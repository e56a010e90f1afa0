import Foundation
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
  private let others: [any ChannelHandler & RemovableChannelHandler]

  /// - Parameter others: What else understands nothing but requests. Frames may come with the head of an
  ///   upgrade, so all of them leave with it, as this handler does.
  init(
    leavingWith others: [any ChannelHandler & RemovableChannelHandler],
    accept: @escaping @Sendable (HTTPRequestHead) -> Bool
  ) {
    self.others = others
    self.accept = accept
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.headers.contains(name: "upgrade")
    else { return context.fireChannelRead(data) }
    guard !(UpgradeGate.isHandshake(head) && accept(head)) else {
      context.fireChannelRead(data)
      let pipeline = context.pipeline.syncOperations
      for handler in others + [self] { pipeline.removeHandler(handler, promise: nil) }
      return
    }
    head.headers.remove(name: "upgrade")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// RFC 6455 section 4.2.1. NIO's upgrader closes without a word where something of it is missing.
  private static func isHandshake(_ head: HTTPRequestHead) -> Bool {
    func values(_ name: String) -> [String] {
      head.headers[canonicalForm: name].map { $0.lowercased() }
    }
    let keys = head.headers["sec-websocket-key"]
    return head.method == .GET && values("upgrade") == ["websocket"]
      && values("connection").contains("upgrade") && values("sec-websocket-version") == ["13"]
      && keys.count == 1 && Data(base64Encoded: keys[0])?.count == 16
  }
}
