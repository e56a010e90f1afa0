import Foundation
import RallyWire

/// The two text forms of a Phoenix message.
enum RealtimeSerializer: Sendable {
  /// An object with `topic`, `event`, `payload`, `ref`; the server never writes `join_ref`.
  case v1
  /// `[join_ref, ref, topic, event, payload]`.
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

  func text(_ message: RealtimeMessage) throws -> String {
    switch self {
    case .v1:
      var message = message
      message.joinRef = nil
      return try WireJSON.text(message)
    case .v2:
      let parts: [JSONValue] = [
        message.joinRef.map(JSONValue.string) ?? .null,
        message.ref.map(JSONValue.string) ?? .null,
        .string(message.topic), .string(message.event.rawValue), message.payload,
      ]
      return try WireJSON.text(parts)
    }
  }

  /// nil for text that is no message.
  func message(_ text: String) -> RealtimeMessage? {
    let data = Data(text.utf8)
    switch self {
    case .v1: return try? WireJSON.decode(RealtimeMessage.self, from: data)
    case .v2:
      guard let parts = try? WireJSON.decode([JSONValue].self, from: data), parts.count == 5,
        let topic = parts[2].string, let event = parts[3].string
      else { return nil }
      return RealtimeMessage(
        topic: topic, event: .init(rawValue: event), payload: parts[4], ref: parts[1].string,
        joinRef: parts[0].string)
    }
  }
}
