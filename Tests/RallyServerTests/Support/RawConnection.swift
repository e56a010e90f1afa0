import Foundation
import NIOCore
import NIOPosix
import RallyTestSupport
import Synchronization
import Testing

/// A TCP connection that says bytes as a badly behaved client might, and keeps what comes back.
final class RawConnection: Sendable {
  private struct State {
    var text = ""
    var isClosed = false
  }

  private final class Collector: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let owner: RawConnection

    init(_ owner: RawConnection) { self.owner = owner }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let text = String(buffer: unwrapInboundIn(data))
      owner.state.withLock { $0.text += text }
    }

    func channelInactive(context: ChannelHandlerContext) { owner.didClose() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { owner.didClose() }
  }

  private let state = Mutex(State())
  private let channel = Mutex<(any Channel)?>(nil)

  /// - Parameter receiveBuffer: Bytes that the kernel takes before they are read.
  init(_ server: TestServer, receiveBuffer: Int? = nil) async throws {
    let url = try #require(URLComponents(string: server.url))
    var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
    if let receiveBuffer {
      bootstrap = bootstrap.channelOption(
        .socketOption(.so_rcvbuf), value: .init(receiveBuffer))
    }
    let open = try await bootstrap.channelInitializer { [self] in
      $0.pipeline.addHandler(Collector(self))
    }
    .connect(host: url.host ?? "", port: url.port ?? 0).get()
    channel.withLock { $0 = open }
  }

  deinit { channel.withLock { $0 }?.close(promise: nil) }

  private func didClose() { state.withLock { $0.isClosed = true } }

  /// A write to a connection that the server has closed is no failure.
  func send(_ text: String) async {
    try? await channel.withLock { $0 }?.writeAndFlush(ByteBuffer(string: text))
  }

  func send(_ bytes: [UInt8]) async {
    try? await channel.withLock { $0 }?.writeAndFlush(ByteBuffer(bytes: bytes))
  }

  func close() { channel.withLock { $0 }?.close(promise: nil) }

  var text: String { state.withLock { $0.text } }

  /// The status lines so far, as in `200 OK`.
  var statuses: [String] {
    text.split(separator: "HTTP/1.1 ").compactMap {
      $0.split(separator: "\r\n").first.map(String.init)
    }
  }

  /// Waits for the server to close and gives all that it said.
  func untilClosed() async throws -> String {
    try await wait("close") { $0.isClosed }
    return text
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Leaves what the server says in the kernel's buffers.
  func stopReading() async {
    _ = try? await channel.withLock { $0 }?.setOption(.autoRead, value: false).get()
  }

  /// Resumes after `stopReading`.
  func read() async {
    _ = try? await channel.withLock { $0 }?.setOption(.autoRead, value: true).get()
  }

  func wait(
    _ what: String, until isDone: (RawConnection) -> Bool, meanwhile: () async -> Void = {}
  ) async throws {
    var patience = PollingBackoff()
    while !isDone(self) {
      await meanwhile()
      guard await patience.pause() else { throw RawSocket.Silence(description: what) }
    }
  }
}
