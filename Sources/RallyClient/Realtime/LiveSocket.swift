import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import RallySystem
import RallyWire

extension LiveTransport {
  private typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
  private typealias Plain = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

  private enum Upgrade: Sendable {
    case socket(Frames, HTTPAnswer)
    /// The server responded with another status than 101.
    case refused(Plain)
  }

  /// The longest message that is accepted, in bytes.
  private static let messageLimit = 4 << 20
  /// How much of the body of a refused upgrade is read, in bytes.
  private static let refusalLimit = 4 << 10

  /// Opens a WebSocket over TCP, TLS or a Unix socket with one function.
  @concurrent func openSocket(_ call: SocketCall) async throws -> SocketLink {
    try await Deadline.within(call.timeout) {
      do {
        let opening = OpeningChannel()
        return try await opening.wait {
          switch try await self.connect(call, opening).get() {
          case .socket(let frames, let answer): return Self.link(over: frames, after: answer)
          case .refused(let plain): throw UpgradeRefusal(answer: try await Self.answer(of: plain))
          }
        }
      } catch {
        throw await self.named(error, at: call.endpoint)
      }
    }
  }

  private func connect(
    _ call: SocketCall, _ opening: OpeningChannel
  ) async throws -> EventLoopFuture<Upgrade> {
    let bootstrap = ClientBootstrap(group: group).connectTimeout(.seconds(5))
    switch call.endpoint {
    case .unixSocket(let path):
      return try await bootstrap.connect(unixDomainSocketPath: path) { channel in
        opening.add(channel)
        return Self.configure(channel, for: call, tls: nil)
      }
    case .url(let url):
      let context = url.isSecure ? try NIOSSLContext(configuration: tls) : nil
      let initialize = { @Sendable (channel: any Channel) in
        opening.add(channel)
        return Self.configure(channel, for: call, tls: context.map { ($0, url.serverName) })
      }
      // The resolver works on a global queue, which then wakes the process every second.
      if let address = try? SocketAddress(ipAddress: url.host, port: url.port) {
        return try await bootstrap.connect(to: address, channelInitializer: initialize)
      }
      return try await bootstrap.connect(
        host: url.host, port: url.port, channelInitializer: initialize)
    }
  }

  private static func configure(
    _ channel: any Channel, for call: SocketCall,
    tls: (context: NIOSSLContext, serverName: String?)?
  ) -> EventLoopFuture<EventLoopFuture<Upgrade>> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      if let tls {
        try pipeline.addHandler(
          NIOSSLClientHandler(context: tls.context, serverHostname: tls.serverName))
      }
      let upgrader = NIOTypedWebSocketClientUpgrader<Upgrade>(maxFrameSize: messageLimit) {
        channel, head in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024,
              maxAccumulatedFrameSize: messageLimit))
          return .socket(try Frames(wrappingChannelSynchronously: channel), HTTPAnswer(head))
        }
      }
      var headers: HTTPHeaders = ["Host": call.endpoint.host, "Content-Length": "0"]
      for (name, value) in call.headers { headers.add(name: name, value: value) }
      let head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: call.endpoint.pathPrefix + call.path,
        headers: headers)
      let configuration = NIOUpgradableHTTPClientPipelineConfiguration(
        upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
          upgradeRequestHead: head, upgraders: [upgrader],
          notUpgradingCompletionHandler: { channel in
            channel.eventLoop.makeCompletedFuture {
              .refused(try Plain(wrappingChannelSynchronously: channel))
            }
          }))
      return try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
    }
  }

  /// The head of an answer, and what of its body is within `refusalLimit`.
  private static func answer(of channel: Plain) async throws -> HTTPAnswer {
    try await channel.executeThenClose { inbound, _ in
      var answer: HTTPAnswer?
      for try await part in inbound {
        switch part {
        case .head(let head): answer = HTTPAnswer(head)
        case .body(let bytes):
          let room = refusalLimit - (answer?.body.count ?? 0)
          answer?.body += bytes.readableBytesView.prefix(max(0, room))
        case .end: break
        }
        if case .end = part { break }
      }
      guard let answer else { throw ChannelError.eof }
      return answer
    }
  }

  // MARK: - Frames

  /// Messages that wait until they are read; nothing more is taken from the server meanwhile.
  private static let mostUnread = 16
  /// Frames that wait until they are sent. A server that reads no answer to its pings is left.
  private static let mostUnsent = 1024

  /// A reader and a writer task run until the socket is closed by either end.
  private static func link(over frames: Frames, after answer: HTTPAnswer) -> SocketLink {
    let (incoming, received) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingOldest(mostUnread))
    let (outgoing, queued) = AsyncStream.makeStream(
      of: WebSocketFrame.self, bufferingPolicy: .bufferingOldest(mostUnsent))
    let task = Task {
      defer {
        received.finish()
        queued.finish()
      }
      try? await frames.executeThenClose { inbound, outbound in
        await withTaskGroup { group in
          group.addTask {
            for await frame in outgoing {
              guard (try? await outbound.write(frame)) != nil else { return }
              if frame.opcode == .connectionClose { return }
            }
          }
          group.addTask {
            do {
              for try await frame in inbound {
                switch frame.opcode {
                case .text, .binary:
                  let text = String(buffer: frame.unmaskedData)
                  while case .dropped = received.yield(text) {
                    try await DispatchSleep.for(.milliseconds(2))
                  }
                case .ping:
                  let pong = masked(.pong, frame.unmaskedData)
                  if case .dropped = queued.yield(pong) { return }
                case .connectionClose: return
                default: break
                }
              }
            } catch {}
          }
          await group.next()
          group.cancelAll()
        }
      }
    }
    return SocketLink(
      answer: answer, incoming: incoming,
      send: { queued.yield(masked(.text, ByteBuffer(string: $0))) },
      close: {
        queued.yield(masked(.connectionClose, ByteBuffer()))
        Task {
          // An unreachable peer never receives the frame, and must not keep the socket open.
          try? await DispatchSleep.for(.seconds(1))
          task.cancel()
        }
      })
  }

  private static func masked(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
  }
}

extension HTTPAnswer {
  /// An answer without a body.
  fileprivate init(_ head: HTTPResponseHead) {
    self.init(status: Int(head.status.code))
    for (name, value) in head.headers { headers[name.lowercased()] = value }
  }
}
