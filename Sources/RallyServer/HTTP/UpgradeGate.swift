import Foundation
import NIOCore
import NIOHTTP1

/// Lets only acceptable WebSocket requests reach NIO's upgrade handler.
///
/// swift-nio 2.101 drops the head of a request whose upgrade is refused, so the client would get no
/// response. Without its `Upgrade` header the request reaches the router, which responds 401, 404 or
/// 426.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private let accept: @Sendable (HTTPRequestHead) -> Bool
  private let others: [any ChannelHandler & RemovableChannelHandler]

  /// - Parameter others: Other handlers of HTTP requests. They are removed together with this one,
  ///   since frames may arrive in the same read as the head of an upgrade.
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

  /// RFC 6455 section 4.2.1. NIO's upgrader closes without a response if a part is missing.
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
