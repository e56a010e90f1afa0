import HTTPTypes
import Hummingbird
import NIOHTTP1
import RallyRules
import RallyWire

/// `/realtime/v1/websocket` for requests that do not become a socket: says why.
struct RealtimeRoutes: Sendable {
  let handshake: RealtimeHandshake
  let webSocketLimiter: WebSocketLimiter

  func add(to router: Router<ServerRequestContext>) {
    router.get(RouterPath(RealtimeTopic.path)) { request, context -> Response in
      do throws(RealtimeHandshake.Refusal) {
        _ = try handshake.serializer(uri: request.uri.string) { name in
          HTTPField.Name(name).flatMap { request.headers[$0] }
        }
      } catch {
        return try .json(["error": error.error], status: .init(code: error.status))
      }
      // The gate has taken the wish for an upgrade away.
      if webSocketLimiter.isFull(for: context.clientAddress),
        request.headers[.secWebSocketKey] != nil
      {
        return try .json(["error": "Too many connected users"], status: .tooManyRequests)
      }
      return try .json(
        ["error": "Use a WebSocket here"], status: .upgradeRequired,
        headers: [.upgrade: "websocket", .secWebSocketVersion: "13"])
    }
  }
}

extension RealtimeHandshake {
  func serializer(of head: HTTPRequestHead) throws(Refusal) -> RealtimeSerializer {
    try serializer(uri: head.uri) { head.headers.first(name: $0) }
  }
}
