import Foundation
import NIOCore
import RallyWire

/// What the sockets of a load test listen to. Each change carries the time at which it was due.
enum LoadFeed: String {
  /// Mission messages whose text is `t` and nanoseconds of `SpokenTime`.
  case messages
  /// Positions whose latitude ends with a `DueLatitude`.
  case positions
  /// Who is online; each socket says that it is, and no change is measured.
  case presence
  /// As `messages`, of a topic of MQTT.
  case mqtt

  /// The message that joins the channel.
  fileprivate func join(token: String) -> String {
    let (topic, presence, bindings) =
      switch self {
      case .messages, .mqtt: ("load", false, binding("INSERT", "mission_activity"))
      case .positions: ("load", false, binding("UPDATE", "locations"))
      case .presence: ("presence", true, "")
      }
    return
      #"{"topic":"realtime:\#(topic)","event":"phx_join","ref":"1","join_ref":"1","payload":{"#
      + #""config":{"presence":{"enabled":\#(presence)},"postgres_changes":[\#(bindings)]},"#
      + #""access_token":"\#(token)"}}"#
  }

  private func binding(_ event: String, _ table: String) -> String {
    #"{"event":"\#(event)","schema":"public","table":"\#(table)"}"#
  }

  /// A sequence that is in the first message after the join only.
  fileprivate var joinedMark: [UInt8] {
    Array((self == .presence ? "presence_state" : RealtimeTopic.subscribedMessage).utf8)
  }

  /// Sent once the channel is joined.
  fileprivate var greeting: String? {
    guard self == .presence else { return nil }
    return #"{"topic":"realtime:presence","event":"presence","ref":"2","join_ref":"1","#
      + #""payload":{"type":"presence","event":"track","payload":{}}}"#
  }

  /// The bytes before the digits of the time; none for what is not measured.
  fileprivate var mark: [UInt8] {
    switch self {
    case .messages, .mqtt: LoadFeed.textMark
    case .positions: LoadFeed.latitudeMark
    case .presence: []
    }
  }

  private static let textMark = Array(#""text":"t"#.utf8)
  private static let latitudeMark = Array("\"latitude\":\(DueLatitude.degrees).".utf8)

  /// Nanoseconds from the due time that these digits say until now.
  fileprivate func latency(_ digits: UnsafeRawBufferPointer.SubSequence) -> UInt64 {
    var number: UInt64 = 0
    var count = 0
    for byte in digits {
      guard byte >= 0x30, byte <= 0x39 else { break }
      number = number * 10 + UInt64(byte - 0x30)
      count += 1
    }
    let now = SpokenTime.now
    switch self {
    case .messages, .mqtt, .presence: return now > number ? now - number : 0
    case .positions:
      for _ in count..<max(count, 7) { number *= 10 }
      return DueLatitude.latency(units: number, now: now)
    }
  }
}

/// A time in the last digits of a latitude, which has seven after the point: tenths of a
/// millisecond, modulo a hundred seconds.
enum DueLatitude {
  static let degrees = 48
  private static let step: UInt64 = 100_000
  private static let count: UInt64 = 1_000_000

  static func value(due: UInt64) -> Double {
    Double(degrees) + Double(due / step % count) / 10_000_000
  }

  fileprivate static func latency(units: UInt64, now: UInt64) -> UInt64 {
    (now / step + count - units % count) % count * step
  }
}

/// One WebSocket that joins a channel, receives changes and records their latency.
///
/// Parses frames by hand, since the load generator's own work must not dominate the measurement.
final class LoadSocket: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let feed: LoadFeed
  private let key: String
  private let token: String
  private let record: NIOLoopBoundBox<LoadRecord>
  private let joined: EventLoopPromise<Void>
  private var isOpen = false
  private var isJoined = false
  private var received = ByteBuffer()

  init(
    feed: LoadFeed, key: String, token: String, record: NIOLoopBoundBox<LoadRecord>,
    joined: EventLoopPromise<Void>
  ) {
    self.feed = feed
    self.key = key
    self.token = token
    self.record = record
    self.joined = joined
  }

  func channelActive(context: ChannelHandlerContext) {
    let head =
      "GET \(RealtimeTopic.path)?apikey=\(key)&vsn=1.0.0 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    received.writeBuffer(&bytes)
    if !isOpen {
      guard let end = received.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else {
        return
      }
      let head = received.readString(length: end.upperBound - received.readerIndex) ?? ""
      guard head.hasPrefix("HTTP/1.1 101") else {
        joined.fail(BenchFailure("refused: \(head.prefix(40))"))
        return context.close(promise: nil)
      }
      isOpen = true
      join(context)
    }
    while let frame = nextFrame() { receive(frame, context) }
    received.discardReadBytes()
  }

  func channelInactive(context: ChannelHandlerContext) {
    joined.fail(BenchFailure("a socket was closed"))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func join(_ context: ChannelHandlerContext) {
    send(feed.join(token: token), context)
  }

  private func send(_ message: String, _ context: ChannelHandlerContext) {
    var frame = ByteBuffer()
    let payload = Array(message.utf8)
    // Masked with zeros, which leaves the text unchanged.
    frame.writeBytes([0x81, 0x80 | 126])
    frame.writeInteger(UInt16(payload.count))
    frame.writeBytes([0, 0, 0, 0])
    frame.writeBytes(payload)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  /// The payload of the next complete frame; frames from a server are not masked.
  private func nextFrame() -> ByteBuffer? {
    let start = received.readerIndex
    guard received.readableBytes >= 2,
      let short = received.getInteger(at: start + 1, as: UInt8.self)
    else { return nil }
    var (offset, length) = (2, Int(short & 0x7f))
    if length == 126 {
      guard let long = received.getInteger(at: start + 2, as: UInt16.self) else { return nil }
      (offset, length) = (4, Int(long))
    } else if length == 127 {
      guard let long = received.getInteger(at: start + 2, as: UInt64.self) else { return nil }
      (offset, length) = (10, Int(long))
    }
    guard received.readableBytes >= offset + length else { return nil }
    received.moveReaderIndex(forwardBy: offset)
    return received.readSlice(length: length)
  }

  private func receive(_ frame: ByteBuffer, _ context: ChannelHandlerContext) {
    frame.withUnsafeReadableBytes { bytes in
      if !isJoined {
        guard bytes.place(of: feed.joinedMark) != nil else { return }
        isJoined = true
        if let greeting = feed.greeting { send(greeting, context) }
        return joined.succeed()
      }
      record.value.add(bytes, of: feed)
    }
  }
}

/// The latencies of all sockets; bound to their event loop.
final class LoadRecord {
  /// Nanoseconds from the due time of a message, or from sending a request, to its arrival.
  var latencies: [UInt64] = []
  var bytes = 0

  /// Adds what arrived, if it tells a change.
  func add(_ bytes: UnsafeRawBufferPointer, of feed: LoadFeed) {
    let mark = feed.mark
    guard let found = bytes.place(of: mark) else { return }
    latencies.append(feed.latency(bytes[(found + mark.count)...]))
    self.bytes += bytes.count
  }
}

extension UnsafeRawBufferPointer {
  /// The offset of the first occurrence of these bytes.
  func place(of wanted: [UInt8]) -> Int? {
    guard let base = baseAddress, let first = wanted.first else { return nil }
    var place = 0
    while place + wanted.count <= count,
      let found = memchr(base + place, Int32(first), count - place - wanted.count + 1)
    {
      place = UnsafeRawPointer(found) - base
      if memcmp(base + place, wanted, wanted.count) == 0 { return place }
      place += 1
    }
    return nil
  }
}
