import Foundation
import NIOCore
import NIOPosix
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// A TCP connection that sends the very bytes it is told and keeps what comes back.
actor RawSocket {
  struct Frame: Hashable, Sendable {
    var first: UInt8
    var payload: [UInt8]

    var opcode: UInt8 { first & 0x0F }
    /// Of a close frame; nil without one.
    var code: Int? {
      opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
    }
    var text: String { String(decoding: payload, as: UTF8.self) }
  }

  struct Silence: Error, CustomStringConvertible {
    var description: String
  }

  private let channel: any Channel
  private(set) var bytes: [UInt8] = []
  /// The whole frames after the handshake.
  private(set) var frames: [Frame] = []
  /// Where the next frame begins; nil before the end of the HTTP answer.
  private var nextFrame: Int?
  private(set) var isClosed = false
  private let arrivals = ArrivalWaiters()

  private init(_ channel: any Channel) { self.channel = channel }

  static func connect(_ server: TestServer) async throws -> RawSocket {
    let url = try #require(URLComponents(string: server.url))
    let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: url.host ?? "", port: url.port ?? 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let socket = RawSocket(connection.channel)
    Task {
      try? await connection.executeThenClose { inbound, _ in
        for try await data in inbound { await socket.receive(Array(data.readableBytesView)) }
      }
      await socket.didClose()
    }
    return socket
  }

  /// A WebSocket whose client reads nothing until `listen`, and whose kernel takes little meanwhile.
  static func deaf(_ server: TestServer) async throws -> RawSocket {
    let url = try #require(URLComponents(string: server.url))
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: false)
      .channelOption(.socketOption(.so_rcvbuf), value: 4096)
      .connect(host: url.host ?? "", port: url.port ?? 0).get()
    let socket = RawSocket(channel)
    try await channel.pipeline.addHandler(Ear(socket)).get()
    let others = await server.server.hub.connections.count
    try await socket.send(Array(handshake(server).utf8))
    // It cannot read the answer, and frames that come before it are no part of a request.
    try await eventually("the handshake") {
      await server.server.hub.connections.count > others
    }
    return socket
  }

  func listen() async throws { try await channel.setOption(.autoRead, value: true).get() }

  /// Hands on what is read, in its order.
  private final class Ear: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let heard: AsyncStream<[UInt8]>.Continuation

    init(_ socket: RawSocket) {
      let (stream, heard) = AsyncStream.makeStream(of: [UInt8].self)
      self.heard = heard
      Task {
        for await data in stream { await socket.receive(data) }
        await socket.didClose()
      }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      heard.yield(Array(unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) { heard.finish() }
  }

  /// A connection that has become a WebSocket.
  static func upgraded(
    _ server: TestServer, version: String = "1.0.0"
  ) async throws -> RawSocket {
    let socket = try await connect(server)
    try await socket.send(Array(handshake(server, version: version).utf8))
    try await socket.wait("an answer") { $0.head != nil }
    #expect(await socket.head?.hasPrefix("HTTP/1.1 101 ") == true)
    return socket
  }

  static func handshake(_ server: TestServer, version: String = "1.0.0") -> String {
    """
    GET \(RealtimeTopic.path)?apikey=\(server.key)&vsn=\(version) HTTP/1.1\r
    Host: 127.0.0.1\r
    Upgrade: websocket\r
    Connection: Upgrade\r
    Sec-WebSocket-Version: 13\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    \r\n
    """
  }

  // MARK: - Sending

  func send(_ bytes: [UInt8]) async throws {
    try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
  }

  /// A frame as a client writes it.
  static func frame(
    _ first: UInt8, _ payload: [UInt8] = [], mask: [UInt8]? = [1, 2, 3, 4]
  ) -> [UInt8] {
    let bit: UInt8 = mask == nil ? 0 : 0x80
    var bytes: [UInt8] = [first]
    switch payload.count {
    case ..<126: bytes.append(bit | UInt8(payload.count))
    case ..<65536:
      bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      bytes.append(bit | 127)
      bytes += withUnsafeBytes(of: UInt64(payload.count).bigEndian, Array.init)
    }
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  func close() async throws { try await channel.close() }

  // MARK: - Receiving

  private func receive(_ data: [UInt8]) {
    bytes += data
    nextFrame = nextFrame ?? headEnd
    while let frame = takeFrame() { frames.append(frame) }
    arrivals.wakeAll()
  }

  private func didClose() {
    isClosed = true
    arrivals.wakeAll()
  }

  private var headEnd: Int? {
    guard bytes.count >= 4 else { return nil }
    return (0...(bytes.count - 4)).first { Array(bytes[$0..<($0 + 4)]) == [13, 10, 13, 10] }
      .map { $0 + 4 }
  }

  /// What an HTTP answer begins with.
  var head: String? { headEnd.map { String(decoding: bytes[..<$0], as: UTF8.self) } }

  private func takeFrame() -> Frame? {
    guard let start = nextFrame, bytes.count >= start + 2 else { return nil }
    var length = Int(bytes[start + 1])
    var header = 2
    if length == 126 || length == 127 {
      header += length == 126 ? 2 : 8
      guard bytes.count >= start + header else { return nil }
      length = bytes[(start + 2)..<(start + header)].reduce(0) { $0 << 8 | Int($1) }
    }
    let end = start + header + length
    guard bytes.count >= end else { return nil }
    nextFrame = end
    return Frame(first: bytes[start], payload: Array(bytes[(start + header)..<end]))
  }

  var closeCode: Int? { frames.last?.code }

  /// Waits for the server's end of the connection and gives the code of its close frame.
  func closed() async throws -> Int? {
    try await wait("the end") { $0.isClosed }
    return closeCode
  }

  func wait(
    _ what: String, until isDone: @Sendable (isolated RawSocket) -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + PollingBackoff.limit
    while !isDone(self) {
      guard ContinuousClock.now < deadline, !isClosed else {
        throw Silence(description: "never came: \(what); got \(bytes.count) bytes")
      }
      await arrivals.next(before: deadline)
    }
  }
}
