import Foundation
import RallyRules
import RallyWire

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
  func serializer(
    uri: String, header: (String) -> String?
  ) throws(Refusal) -> RealtimeSerializer {
    guard let components = URLComponents(string: uri), components.path == RealtimeTopic.path
    else { throw Refusal(status: 404, error: "not found") }
    func query(_ name: String) -> String? {
      components.queryItems?.first { $0.name == name }?.value
    }
    guard let key = header("x-api-key") ?? query("apikey") ?? header("apikey"), !key.isEmpty
    else { throw Refusal(status: 401, error: "No API key found in request") }
    guard gateway.accepts(key: key) else {
      throw Refusal(status: 401, error: "Invalid API key")
    }
    guard let serializer = RealtimeSerializer(version: query("vsn")) else {
      throw Refusal(status: 400, error: "Unsupported vsn; use 1.0.0 or 2.0.0")
    }
    return serializer
  }
}
