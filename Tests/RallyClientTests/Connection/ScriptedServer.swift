import NIOCore
import NIOPosix
import NIOSSL
import RallyTestSupport

@testable import RallyClient

/// A server on a port of its own that answers every connection with the same bytes, some of them one by
/// one, and never ends an answer by itself.
final class ScriptedServer: Sendable {
  /// What a client gets once it has said something.
  struct Script: Sendable {
    /// Sent at once.
    var opening = ""
    /// Sent again and again, one byte each 10 ms; empty for nothing more.
    var drip = ""
  }

  private let channel: any Channel
  /// How many connections are open.
  let connections: Watched<Int>

  var port: Int { channel.localAddress?.port ?? 0 }

  /// - Parameter tls: Makes it a server that encrypts; nil for plain text.
  static func with(
    _ script: Script, tls: NIOSSLContext? = nil, _ body: (ScriptedServer) async throws -> Void
  ) async throws {
    let server = try await ScriptedServer(script, tls: tls)
    do {
      try await body(server)
    } catch {
      try await server.channel.close()
      throw error
    }
    try await server.channel.close()
  }

  private init(_ script: Script, tls: NIOSSLContext?) async throws {
    let connections = Watched(0)
    self.connections = connections
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        connections.change { $0 += 1 }
        channel.closeFuture.whenComplete { _ in connections.change { $0 -= 1 } }
        return channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
          }
          try channel.pipeline.syncOperations.addHandler(Speaker(script))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  func endpoint(_ scheme: String = "http") throws -> ServerEndpoint {
    .url(try ServerURL("\(scheme)://127.0.0.1:\(port)"))
  }

  private final class Speaker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let script: Script
    private var dripping: RepeatedTask?
    private var next = 0

    init(_ script: Script) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard dripping == nil else { return }
      let channel = context.channel
      let bytes = Array(script.drip.utf8)
      if !script.opening.isEmpty {
        channel.writeAndFlush(ByteBuffer(string: script.opening), promise: nil)
      }
      let speaker = NIOLoopBound(self, eventLoop: context.eventLoop)
      dripping = context.eventLoop.scheduleRepeatedTask(
        initialDelay: .zero, delay: .milliseconds(10)
      ) { task in
        guard !bytes.isEmpty else { return task.cancel() }
        let next = speaker.value.next
        speaker.value.next += 1
        channel.writeAndFlush(ByteBuffer(bytes: [bytes[next % bytes.count]]), promise: nil)
      }
    }

    func channelInactive(context: ChannelHandlerContext) { dripping?.cancel() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
