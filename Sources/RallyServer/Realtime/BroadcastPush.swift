import Foundation
import RallyRules
import RallyText
import RallyWire

/// A broadcast as a client sends it.
struct BroadcastPush: Hashable, Sendable {
  var joinRef: JSONValue?
  var ref: JSONValue?
  var topic: String
  var event: String
  var body: BroadcastBody
}

enum ClientMessage: Hashable, Sendable {
  case message(RealtimeMessage)
  case broadcast(BroadcastPush)
}

extension BroadcastPush {
  /// The first byte of a frame that pushes a broadcast.
  static let pushKind: UInt8 = 3
  /// The first byte of a frame that delivers one.
  static let deliveryKind: UInt8 = 4

  /// Reads a binary frame: kind, five lengths, how the payload is encoded, then five texts and the
  /// payload. Metadata is not used for anything.
  ///
  /// nil for anything else, lengths that point past the end and text that is not UTF-8 among it.
  init?(frame: [UInt8]) {
    guard frame.count >= 7, frame[0] == BroadcastPush.pushKind else { return nil }
    var rest = frame[7...]
    var texts: [String] = []
    for length in frame[1...5].map(Int.init) {
      guard rest.count >= length,
        let text = String(validating: rest.prefix(length), as: UTF8.self)
      else { return nil }
      texts.append(text)
      rest = rest.dropFirst(length)
    }
    switch frame[6] {
    case 0: body = .binary(Array(rest))
    case 1:
      let value = try? WireJSON.value(of: rest)
      body = value.map(BroadcastBody.json) ?? .unreadable
    default: return nil
    }
    joinRef = texts[0].isEmpty ? nil : .string(texts[0])
    ref = texts[1].isEmpty ? nil : .string(texts[1])
    topic = texts[2]
    event = texts[3]
  }

  /// A text broadcast; nil when it does not name its event.
  init?(_ message: RealtimeMessage) {
    guard let event = message.payload["event"]?.string else { return nil }
    self.init(
      joinRef: message.joinRef, ref: message.ref, topic: message.topic, event: event,
      body: .json(message.payload["payload"] ?? [:]))
  }
}

/// A broadcast to many sockets, encoded once per serialization.
struct BroadcastDelivery {
  let topic: String
  let event: String
  let body: BroadcastBody
  private var items: [RealtimeSerializer: SocketOutbox.Item?] = [:]

  init(topic: String, event: String, body: BroadcastBody) {
    self.topic = topic
    self.event = event
    self.body = body
  }

  /// nil if this serialization cannot represent it.
  mutating func item(for serializer: RealtimeSerializer) -> SocketOutbox.Item? {
    if let known = items[serializer] { return known }
    let item = makeItem(for: serializer)
    items[serializer] = item
    return item
  }

  private func makeItem(for serializer: RealtimeSerializer) -> SocketOutbox.Item? {
    switch body {
    case .json(let value):
      let message = RealtimeMessage(
        topic: topic, event: .broadcast,
        payload: ["type": "broadcast", "event": .string(event), "payload": value])
      return .text(serializer.text(message))
    case .binary(let data):
      let (topic, event) = (Array(topic.utf8), Array(event.utf8))
      guard serializer.takesBinary, topic.count <= 255, event.count <= 255 else { return nil }
      let head: [UInt8] = [
        BroadcastPush.deliveryKind, UInt8(topic.count), UInt8(event.count), 0, 0,
      ]
      return .binary(head + topic + event + data)
    case .unreadable: return nil
    }
  }
}
