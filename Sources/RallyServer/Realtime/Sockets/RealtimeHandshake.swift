import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import RallyRules
import RallyText
import RallyWire

/// The two serializations of Phoenix messages.
package enum RealtimeSerializer: Hashable, Sendable {
  /// An object with `topic`, `event`, `payload`, `ref`; the server never writes `join_ref`.
  case v1
  /// `[join_ref, ref, topic, event, payload]`, and binary frames for broadcasts.
  case v2

  /// - Parameter version: `vsn` of the handshake; none means 1.0.0.
  init?(version: String?) {
    switch version {
    case nil: self = .v1
    case let text? where text.hasPrefix("1.0."): self = .v1
    case let text? where text.hasPrefix("2.0."): self = .v2
    default: return nil
    }
  }

  var takesBinary: Bool { self == .v2 }

  func text(_ message: RealtimeMessage) -> String {
    switch self {
    case .v1:
      var message = message
      message.joinRef = nil
      return JSONWriter.text(of: message.json)
    case .v2:
      return JSONWriter.text(of: [
        message.joinRef ?? .null, message.ref ?? .null, .string(message.topic),
        .string(message.event.rawValue), message.payload,
      ])
    }
  }

  /// The text of a `postgres_changes` message whose topic and data were encoded as JSON once for
  /// many readers; same bytes as `text`.
  func change(topic: String, ids: [Int64], data: String) -> String {
    let ids = ids.map { String($0) }.joined(separator: ",")
    let payload = #"{"data":\#(data),"ids":[\#(ids)]}"#
    return switch self {
    case .v1:
      #"{"event":"postgres_changes","payload":\#(payload),"ref":null,"topic":\#(topic)}"#
    case .v2: #"[null,null,\#(topic),"postgres_changes",\#(payload)]"#
    }
  }

  func message(_ text: String) -> ClientMessage? {
    switch self {
    case .v1:
      return RealtimeMessage(text: text, atMost: WireJSON.mostValues).map { .message($0) }
    case .v2:
      // Phoenix ignores what comes after the five parts.
      guard let parts = try? WireJSON.value(of: text.utf8).array, parts.count >= 5,
        let topic = parts[2].string, let event = parts[3].string
      else { return nil }
      return .message(
        RealtimeMessage(
          topic: topic, event: .init(rawValue: event), payload: parts[4], ref: parts[1].unlessNull,
          joinRef: parts[0].unlessNull))
    }
  }

  func message(_ frame: [UInt8]) -> ClientMessage? {
    takesBinary ? BroadcastPush(frame: frame).map { .broadcast($0) } : nil
  }
}

/// Whether a request may become a realtime socket, and in which form it will talk.
struct RealtimeHandshake: Sendable {
  let gateway: Gateway

  /// A refused handshake: an HTTP answer `{"error": …}`.
  struct Refusal: Error, Hashable, Sendable {
    var status: Int
    var error: String
  }

  /// - Parameters:
  ///   - uri: Path and query of the request.
  ///   - header: The value of a header by name.
  func serializer(uri: String, header: (String) -> String?) throws(Refusal) -> RealtimeSerializer {
    guard let components = URLComponents(string: uri), components.path == RealtimeTopic.path
    else { throw Refusal(status: 404, error: "not found") }
    func query(_ name: String) -> String? {
      components.queryItems?.first { $0.name == name }?.value
    }
    guard let key = header("x-api-key") ?? query("apikey") ?? header("apikey"), !key.isEmpty
    else { throw Refusal(status: 401, error: "No API key found in request") }
    guard gateway.accepts(key: key) else { throw Refusal(status: 401, error: "Invalid API key") }
    guard let serializer = RealtimeSerializer(version: query("vsn")) else {
      throw Refusal(status: 400, error: "Unsupported vsn; use 1.0.0 or 2.0.0")
    }
    return serializer
  }
}

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
      // The request guard removed the Upgrade header.
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
