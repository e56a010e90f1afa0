import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import RallyText
import RallyWire

/// A WebSocket client that sends what it is given and keeps everything it receives.
package actor RealtimeProbe {
  package typealias Channel = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  package struct Refused: Error { package var status: Int }
  package struct Silence: Error, CustomStringConvertible {
    package var description: String
  }

  private let channel: any NIOCore.Channel
  /// Every text frame as it came.
  package private(set) var frames: [JSONValue] = []
  package private(set) var closeCode: Int?
  package private(set) var isClosed = false
  private var taken = 0
  private let arrivals = ArrivalWaiters()
  private var lastRef = 0

  private init(_ channel: any NIOCore.Channel) { self.channel = channel }

  // MARK: - Connecting

  private enum Upgrade: Sendable {
    case socket(Channel)
    case http(NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>)
  }

  package static func connect(
    _ server: TestServer, key: String? = nil, query: String = "&vsn=1.0.0"
  ) async throws -> RealtimeProbe {
    guard let url = URLComponents(string: server.url) else {
      throw Silence(description: "no URL: \(server.url)")
    }
    let path = "\(RealtimeTopic.path)?apikey=\(key ?? server.key)\(query)"
    let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: url.host ?? "", port: url.port ?? 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          let upgrader = NIOTypedWebSocketClientUpgrader<Upgrade>(
            maxFrameSize: 1 << 22,
            upgradePipelineHandler: { channel, _ in
              channel.eventLoop.makeCompletedFuture {
                .socket(try Channel(wrappingChannelSynchronously: channel))
              }
            })
          var headers = HTTPHeaders()
          headers.add(name: "host", value: "127.0.0.1")
          headers.add(name: "content-length", value: "0")
          let configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
              upgradeRequestHead: HTTPRequestHead(
                version: .http1_1, method: .GET, uri: path, headers: headers),
              upgraders: [upgrader],
              notUpgradingCompletionHandler: { channel in
                channel.eventLoop.makeCompletedFuture {
                  .http(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
                }
              }))
          return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: configuration)
        }
      }.get()
    switch upgrade {
    case .http(let channel):
      return try await channel.executeThenClose { inbound, _ in
        for try await case .head(let head) in inbound {
          throw Refused(status: Int(head.status.code))
        }
        throw ChannelError.eof
      }
    case .socket(let socket):
      let probe = RealtimeProbe(socket.channel)
      Task {
        try? await socket.executeThenClose { inbound, _ in
          for try await frame in inbound { await probe.receive(frame) }
        }
        await probe.didClose()
      }
      return probe
    }
  }

  private func receive(_ frame: WebSocketFrame) {
    var data = frame.unmaskedData
    switch frame.opcode {
    case .text:
      let bytes = Data(data.readableBytesView)
      frames.append((try? WireJSON.decode(JSONValue.self, from: bytes)) ?? .null)
    case .binary:
      frames.append(["binary": .array(data.readableBytesView.map { .integer(Int64($0)) })])
    case .pong: frames.append(["pong": .string(String(buffer: data))])
    case .connectionClose: closeCode = data.readInteger(as: UInt16.self).map(Int.init)
    default: break
    }
    arrivals.wakeAll()
  }

  private func didClose() {
    isClosed = true
    arrivals.wakeAll()
  }

  // MARK: - Saying

  package func send(_ opcode: WebSocketOpcode, _ data: [UInt8], isMasked: Bool = true) async throws
  {
    try await channel.writeAndFlush(
      WebSocketFrame(
        fin: true, opcode: opcode, maskKey: isMasked ? .random() : nil,
        data: ByteBuffer(bytes: data)))
  }

  package func send(_ message: JSONValue) async throws {
    try await send(.text, Array(WireJSON.encode(message)))
  }

  /// Sends an event and gives the reference it went out with.
  @discardableResult
  package func push(
    _ event: RealtimeEvent, _ topic: String, _ payload: JSONValue = [:]
  ) async throws -> String {
    lastRef += 1
    let ref = String(lastRef)
    try await send([
      "topic": .string(topic), "event": .string(event.rawValue), "payload": payload,
      "ref": .string(ref), "join_ref": nil,
    ])
    return ref
  }

  /// Joins and waits for the answer.
  @discardableResult
  package func join(
    _ topic: String, token: String?, bindings: [JSONValue] = [], presence: Bool = false
  ) async throws -> JSONValue {
    let ref = try await pushJoin(topic, token: token, bindings: bindings, presence: presence)
    return try await next(.reply, ref: ref)
  }

  /// Asks to join and gives the reference it asked with.
  package func pushJoin(
    _ topic: String, token: String?, bindings: [JSONValue] = [], presence: Bool = false
  ) async throws -> String {
    try await push(
      .join, topic,
      [
        "config": [
          "broadcast": ["ack": false, "self": false],
          "presence": ["key": "", "enabled": .bool(presence)], "private": false,
          "postgres_changes": .array(bindings),
        ],
        "access_token": token.map(JSONValue.string) ?? .null,
      ])
  }

  /// Joins a table's topic and waits until nothing can be missed.
  package func listen(token: String, table: String = "friendships") async throws {
    try await join(
      RealtimeTopic.prefix + table, token: token,
      bindings: [["event": "*", "schema": "public", "table": .string(table)]])
    _ = try await next(.system)
  }

  package func close() async throws {
    // The server may have ended it before.
    guard !isClosed else { return }
    try? await send(.connectionClose, [0x03, 0xE8])
    try await wait("close") { $0.isClosed }
  }

  // MARK: - Hearing

  /// The next frame of this kind that was not taken yet; what came before it is skipped.
  package func next(
    _ event: RealtimeEvent, topic: String? = nil, ref: String? = nil
  ) async throws -> JSONValue {
    @Sendable func isWanted(_ frame: JSONValue) -> Bool {
      frame["event"]?.string == event.rawValue
        && (topic == nil || frame["topic"]?.string == topic)
        && (ref == nil || frame["ref"]?.string == ref)
    }
    try await wait("\(event.rawValue) \(ref ?? "")") { probe in
      probe.frames[probe.taken...].contains(where: isWanted)
    }
    guard let index = frames[taken...].firstIndex(where: isWanted) else {
      throw Silence(description: "gone: \(event.rawValue) \(ref ?? "")")
    }
    taken = index + 1
    return frames[index]
  }

  /// Everything received so far that was not taken, after the server has answered a heartbeat:
  /// what it meant to say before is here.
  package func drain() async throws -> [JSONValue] {
    let start = taken
    let ref = try await push(.heartbeat, RealtimeTopic.phoenix)
    _ = try await next(.reply, ref: ref)
    return Array(frames[start..<(taken - 1)])
  }

  package func wait(
    _ what: String, until isDone: @Sendable (isolated RealtimeProbe) -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + PollingBackoff.limit
    while !isDone(self) {
      guard ContinuousClock.now < deadline, !isClosed else {
        throw Silence(description: "never came: \(what); got \(frames.suffix(5))")
      }
      await arrivals.next(before: deadline)
    }
  }
}
