import Foundation
import NIOCore
import NIOPosix
import RallySystem

/// A hidden mode of this program that repeats a request on many connections, on each as soon as the
/// previous response has arrived.
enum RequestLoad {
  static let flag = "--generate-requests"

  struct Result {
    var answers: Int
    var slowest: Duration

    init(_ line: String) throws {
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2 else { throw BenchFailure("requests: “\(line)”") }
      answers = numbers[0]
      slowest = .nanoseconds(numbers[1])
    }
  }

  /// - Parameter arguments: Port, path, API key, connections, seconds.
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 5, let port = Int(arguments[0]), let count = Int(arguments[3]),
      let seconds = Int64(arguments[4])
    else { throw BenchFailure("\(flag) PORT PATH KEY CONNECTIONS SECONDS") }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let record = NIOLoopBoundBox.makeBoxSendingValue(LoadRecord(), eventLoop: loop)
    let request = ByteBuffer(
      string: "GET \(arguments[1]) HTTP/1.1\r\nHost: 127.0.0.1\r\napikey: \(arguments[2])\r\n\r\n")
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
    for _ in 0..<count {
      _ = try ClientBootstrap(group: loop).channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            LoadRequest(request: request, record: record))
        }
      }.connect(to: address).wait()
    }
    let latencies = try loop.scheduleTask(in: .seconds(seconds)) { record.value.latencies }
      .futureResult.wait().sorted()
    let last = latencies.isEmpty ? 0 : latencies[Int(0.99 * Double(latencies.count - 1))]
    SocketLoad.say("\(latencies.count) \(last)")
    try group.syncShutdownGracefully()
  }
}

/// One connection that sends the next request right after each response.
final class LoadRequest: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let end = Array("\r\n\r\n".utf8)
  private static let length = Array("ontent-length: ".utf8)
  private static let capitalLength = Array("ontent-Length: ".utf8)

  private let request: ByteBuffer
  private let record: NIOLoopBoundBox<LoadRecord>
  private var received = ByteBuffer()
  private var askedAt: UInt64 = 0

  init(request: ByteBuffer, record: NIOLoopBoundBox<LoadRecord>) {
    self.request = request
    self.record = record
  }

  func channelActive(context: ChannelHandlerContext) { sendRequest(context) }

  private func sendRequest(_ context: ChannelHandlerContext) {
    askedAt = SpokenTime.now
    context.writeAndFlush(wrapOutboundOut(request), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    received.writeBuffer(&bytes)
    guard let size = answerSize, received.readableBytes >= size else { return }
    received.clear()
    record.value.latencies.append(SpokenTime.now - askedAt)
    sendRequest(context)
  }

  /// The size of head and body in bytes; nil until the head is complete.
  private var answerSize: Int? {
    received.withUnsafeReadableBytes { bytes in
      guard let end = bytes.place(of: Self.end),
        let field = bytes.place(of: Self.length) ?? bytes.place(of: Self.capitalLength)
      else { return nil }
      var body = 0
      for byte in bytes[(field + Self.length.count)...] {
        guard byte >= 0x30, byte <= 0x39 else { break }
        body = body * 10 + Int(byte - 0x30)
      }
      return end + Self.end.count + body
    }
  }
}
