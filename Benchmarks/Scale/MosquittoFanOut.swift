import Foundation
import NIOCore
import NIOPosix
import RallyTestSupport

/// The same messages to as many sockets through mosquitto, a broker of MQTT written in C, for
/// comparison.
struct MosquittoFanOut {
  static let name = "mosquitto"

  let plan: ScalePlan
  /// Bytes of a message.
  let size: Int

  /// Where it is installed; nil if it is not.
  static var executable: String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    // Debian has it where only root looks.
    return try? program(name, path: path + ":/usr/sbin")
  }

  /// - Throws: `BenchFailure` or `ProcessFailure` if the broker or a socket fails.
  func run(_ executable: String) async throws -> SocketLoad.Result {
    let folder = try TemporaryFolder()
    let port = try SSHDaemon.freePort()
    let configuration = folder.file("mosquitto.conf")
    try "listener \(port) 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
      .write(toFile: configuration, atomically: true, encoding: .utf8)
    try OpenFiles.raise(to: plan.sockets + OpenFiles.besideSockets)
    let broker = try RunningCommand(
      executable, ["-c", configuration], environment: folder.environment)
    defer { broker.signal(SIGKILL) }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let writer = try await connected(to: port, on: group)
    let topics = (0..<plan.sockets).map { "load/\($0 / plan.audience)" }
    let generator = try await SocketLoad.start(
      sockets: topics.map { (UInt16(port), $0) }, feed: .mqtt, key: "-", in: folder)
    let topicCount = plan.sockets / plan.audience
    let start = SpokenTime.now
    for number in 0..<plan.rate * plan.seconds {
      let due = start + UInt64(number) * 1_000_000_000 / UInt64(plan.rate)
      let now = SpokenTime.now
      if now < due { try await Task.sleep(for: .nanoseconds(due - now)) }
      let text = #""text":"t\#(due)""#
      try await writer.writeAndFlush(
        MQTTPacket.publish(
          "load/\(number % topicCount)",
          text + String(repeating: " ", count: max(0, size - text.utf8.count))))
    }
    try await Task.sleep(for: .seconds(1))
    let result = try await SocketLoad.end(generator)
    try await writer.close()
    try await group.shutdownGracefully()
    return result
  }

  /// A connection of whoever publishes, once the broker listens.
  private func connected(
    to port: Int, on group: MultiThreadedEventLoopGroup
  ) async throws -> any Channel {
    var backoff = PollingBackoff(.seconds(10))
    repeat {
      let attempt = ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port)
      guard let channel = try? await attempt.get() else { continue }
      try await channel.writeAndFlush(MQTTPacket.connect)
      return channel
    } while await backoff.pause()
    throw BenchFailure("\(Self.name) does not listen")
  }
}

/// The packets of MQTT 3.1.1 that are needed here.
enum MQTTPacket {
  static let connectAnswer: UInt8 = 0x20
  static let subscribeAnswer: UInt8 = 0x90
  static let publishing: UInt8 = 0x30

  /// A clean session without a name and without an end by silence.
  static var connect: ByteBuffer {
    packet(0x10, [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, 0])
  }

  static func subscribe(_ topic: String) -> ByteBuffer {
    packet(0x82, [0, 1] + text(topic) + [0])
  }

  static func publish(_ topic: String, _ message: String) -> ByteBuffer {
    packet(publishing, text(topic) + Array(message.utf8))
  }

  private static func text(_ text: String) -> [UInt8] {
    [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + Array(text.utf8)
  }

  private static func packet(_ kind: UInt8, _ body: [UInt8]) -> ByteBuffer {
    var length = body.count
    var head = [kind]
    repeat {
      head.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
      length >>= 7
    } while length > 0
    return ByteBuffer(bytes: head + body)
  }
}

/// One subscriber of a topic, which records the latency of what arrives.
final class MQTTLoadSocket: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let topic: String
  private let record: NIOLoopBoundBox<LoadRecord>
  private let joined: EventLoopPromise<Void>
  private var received = ByteBuffer()

  init(topic: String, record: NIOLoopBoundBox<LoadRecord>, joined: EventLoopPromise<Void>) {
    self.topic = topic
    self.record = record
    self.joined = joined
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(MQTTPacket.connect), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    received.writeBuffer(&bytes)
    while let (kind, body) = nextPacket() {
      switch kind & 0xF0 {
      case MQTTPacket.connectAnswer:
        context.writeAndFlush(wrapOutboundOut(MQTTPacket.subscribe(topic)), promise: nil)
      case MQTTPacket.subscribeAnswer: joined.succeed()
      case MQTTPacket.publishing:
        body.withUnsafeReadableBytes { record.value.add($0, of: .mqtt) }
      default: break
      }
    }
    received.discardReadBytes()
  }

  func channelInactive(context: ChannelHandlerContext) {
    joined.fail(BenchFailure("a socket was closed"))
  }

  private func nextPacket() -> (kind: UInt8, body: ByteBuffer)? {
    let start = received.readerIndex
    guard let kind = received.getInteger(at: start, as: UInt8.self) else { return nil }
    var (length, offset) = (0, 1)
    while true {
      guard let byte = received.getInteger(at: start + offset, as: UInt8.self) else { return nil }
      length |= Int(byte & 0x7F) << (7 * (offset - 1))
      offset += 1
      if byte & 0x80 == 0 { break }
    }
    guard received.readableBytes >= offset + length else { return nil }
    received.moveReaderIndex(forwardBy: offset)
    return received.readSlice(length: length).map { (kind, $0) }
  }
}
