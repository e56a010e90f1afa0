import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// RFC 6455 as seen from the other end of the wire: the very bytes, against the real server.
@Suite struct WebSocketRulesTests {
  private static let heartbeat = Array(
    #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"h"}"#.utf8)

  /// The code with which a connection ends that sends these bytes.
  private func code(after bytes: [UInt8], version: String = "1.0.0") async throws -> Int? {
    try await TestServer.with { server in
      let socket = try await RawSocket.upgraded(server, version: version)
      try await socket.send(bytes)
      return try await socket.closed()
    }
  }

  @Test(arguments: [
    ("unmasked", RawSocket.frame(0x81, heartbeat, mask: nil), 1002),
    ("reserved bit", RawSocket.frame(0xC1, heartbeat), 1002),
    ("reserved opcode", RawSocket.frame(0x83, heartbeat), 1002),
    ("reserved control opcode", RawSocket.frame(0x8B), 1002),
    ("nothing to continue", RawSocket.frame(0x80, heartbeat), 1002),
    ("message in a message", RawSocket.frame(0x01) + RawSocket.frame(0x81, heartbeat), 1002),
    ("fragmented ping", RawSocket.frame(0x09), 1002),
    ("long ping", RawSocket.frame(0x89, Array(repeating: 0, count: 126)), 1002),
    ("half a code", RawSocket.frame(0x88, [3]), 1002),
    ("code that never travels", RawSocket.frame(0x88, [3, 0xED]), 1002),
    ("reason that is not UTF-8", RawSocket.frame(0x88, [3, 0xE8, 0xFF]), 1007),
    ("text that is not UTF-8", RawSocket.frame(0x81, [0xFF, 0xFE]), 1007),
    ("text that ends within a character", RawSocket.frame(0x81, [0xC3]), 1007),
    ("binary where there is none", RawSocket.frame(0x82, [3]), 1003),
    ("no code", RawSocket.frame(0x88), 1000),
    ("a code of their own", RawSocket.frame(0x88, [0x0F, 0xA0]), 4000),
    (
      "a frame longer than any message",
      [0x81, 0xFF, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4],
      1009
    ),
    ("a length beyond all numbers", [0x81, 0xFF] + Array(repeating: 0xFF, count: 12), 1009),
  ])
  func `a connection ends with the code that says why`(
    _ what: String, _ bytes: [UInt8], _ expected: Int
  ) async throws {
    #expect(try await code(after: bytes) == expected, "\(what)")
  }

  @Test func `a message of too many bytes in small frames ends the connection`() async throws {
    let part = [UInt8](repeating: 0x20, count: 60_000)
    let bytes = (0..<8).flatMap { RawSocket.frame($0 == 0 ? 0x01 : 0x00, part) }
    #expect(try await code(after: bytes) == 1009)
  }

  @Test func `a message in fragments with a ping between them is one message`() async throws {
    try await TestServer.with { server in
      let socket = try await RawSocket.upgraded(server)
      try await socket.send(RawSocket.frame(0x01, Array(Self.heartbeat.prefix(10))))
      try await socket.send(RawSocket.frame(0x89, Array("hey".utf8)))
      try await socket.send(RawSocket.frame(0x00))
      // Every byte a packet of its own.
      for byte in RawSocket.frame(0x80, Array(Self.heartbeat.dropFirst(10))) {
        try await socket.send([byte])
      }
      try await socket.wait("pong and reply") { $0.frames.count == 2 }
      let frames = await socket.frames
      #expect(frames[0] == RawSocket.Frame(first: 0x8A, payload: Array("hey".utf8)))
      #expect(frames[1].text.contains("phx_reply"))
      try await socket.send(RawSocket.frame(0x88, [3, 0xE8]))
      #expect(try await socket.closed() == 1000)
    }
  }

  @Test func `whoever sends frames without end is shown out`() async throws {
    let flood = (0..<1000).flatMap { _ in RawSocket.frame(0x8A) }
    #expect(try await code(after: flood) == 1008)
  }

  @Test func `a client that reads nothing is cut off, and others go on`() async throws {
    try await TestServer.with(configure: { $0.budgets[.framesPerSocket] = Budgets.largest }) {
      server in
      let probe = try await RealtimeProbe.connect(server)
      let deaf = try await RawSocket.deaf(server)
      let ping = RawSocket.frame(0x89, Array(repeating: 7, count: 125))
      let pings = (0..<2000).flatMap { _ in ping }
      // Answers fill both ends' buffers and then the outbox, until the server ends it.
      await #expect(throws: (any Error).self) {
        for _ in 0..<400 { try await deaf.send(pings) }
      }
      _ = try await probe.drain()
      try await probe.close()
    }
  }

  @Test func `a client that reads too slowly is told so`() async throws {
    try await TestServer.with(configure: { $0.closeTimeout = .seconds(600) }) { server in
      let slow = try await RawSocket.deaf(server)
      let outbox = try #require(await server.server.hub.connections.values.first?.outbox)
      // More than the kernels take, at once: pings whose answers nobody reads would wait for the
      // kernels' timers.
      for _ in 0..<64 { outbox.add(.text(String(repeating: "x", count: 60_000))) }
      #expect(outbox.isClosed)
      try await slow.listen()
      #expect(try await slow.closed() == SocketOutbox.tooSlow)
    }
  }

  /// The server's timeout is longer than this test waits, so the end must come from the half-closed
  /// connection.
  @Test func `a client that goes on sending gets the close frame and the end of the stream`()
    async throws
  {
    try await TestServer.with(configure: { $0.closeTimeout = .seconds(600) }) { server in
      let socket = try await RawSocket.upgraded(server)
      let text = RawSocket.frame(0x81, Array(repeating: 0x20, count: 60_000))
      try await socket.send(RawSocket.frame(0x80) + Array(repeating: text, count: 64).joined())
      #expect(try await socket.closed() == 1002)
    }
  }

  // MARK: - Before it is a WebSocket

  @Test func `when all slots are taken the handshake says so`() async throws {
    try await TestServer.with(configure: { $0.budgets[.sockets] = 1 }) { server in
      let first = try await RealtimeProbe.connect(server)
      await #expect(throws: RealtimeProbe.Refused.self) {
        do {
          _ = try await RealtimeProbe.connect(server)
        } catch let refused as RealtimeProbe.Refused {
          #expect(refused.status == 429)
          throw refused
        }
      }
      try await first.close()
      // The slot is free again once the server has seen the end.
      var second: RealtimeProbe?
      while second == nil { second = try? await RealtimeProbe.connect(server) }
      try await second?.close()
    }
  }

  @Test func `frames that come with the handshake are read after it`() async throws {
    try await TestServer.with { server in
      for _ in 0..<20 {
        let socket = try await RawSocket.connect(server)
        let ping = RawSocket.frame(0x89, Array("early".utf8))
        try await socket.send(
          Array(RawSocket.handshake(server).utf8) + Array(repeating: ping, count: 200).joined())
        try await socket.wait("an answer") { $0.head != nil }
        #expect(await socket.head?.hasPrefix("HTTP/1.1 101") == true)
        try await socket.close()
      }
    }
  }

  private func status(of handshake: String, on server: TestServer) async throws -> String {
    let socket = try await RawSocket.connect(server)
    try await socket.send(Array(handshake.utf8))
    try await socket.wait("an answer") { $0.head != nil }
    let head = await socket.head ?? ""
    try await socket.close()
    return String(head.dropFirst("HTTP/1.1 ".count).prefix(3))
  }

  @Test func `nothing is ever decompressed`() async throws {
    try await TestServer.with { server in
      let socket = try await RawSocket.connect(server)
      let handshake = RawSocket.handshake(server).replacing(
        "Upgrade: websocket\r\n",
        with: "Upgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate\r\n")
      try await socket.send(Array(handshake.utf8))
      try await socket.wait("an answer") { $0.head != nil }
      let head = try #require(await socket.head)
      #expect(head.hasPrefix("HTTP/1.1 101 "))
      #expect(!head.lowercased().contains("sec-websocket-extensions"))
      // The bit of a compressed frame is a fault, then.
      try await socket.send(RawSocket.frame(0xC1, Self.heartbeat))
      #expect(try await socket.closed() == 1002)
    }
  }

  @Test func `every refused upgrade is answered`() async throws {
    try await TestServer.with { server in
      let changes: [(String, String, String)] = [
        ("", "", "101"), (server.key, "x", "401"), ("vsn=1.0.0", "vsn=9", "400"),
        ("/websocket?", "/web?", "404"), ("GET", "POST", "404"),
        ("Upgrade: websocket", "Upgrade: h2c", "426"),
        ("Upgrade: websocket", "Upgrade: websocket, h2c", "426"),
      ]
      for (old, new, expected) in changes {
        let handshake = RawSocket.handshake(server)
        let status = try await status(
          of: old.isEmpty ? handshake : handshake.replacing(old, with: new), on: server)
        #expect(status == expected, "\(old) \(new)")
      }
    }
  }

  @Test func `a key in the header of a handshake counts more than that in its address`()
    async throws
  {
    try await TestServer.with { server in
      for (query, header, expected) in [
        ("wrong", server.key, "101"), ("", server.key, "101"), (server.key, "wrong", "401"),
      ] {
        let handshake = RawSocket.handshake(server)
          .replacing("apikey=\(server.key)", with: "apikey=\(query)")
          .replacing("Host: 127.0.0.1", with: "Host: 127.0.0.1\r\nx-api-key: \(header)")
        let status = try await status(of: handshake, on: server)
        #expect(status == expected, "\(query) \(header)")
      }
    }
  }

  @Test func `a handshake without its key, or of another version, is no handshake`() async throws {
    try await TestServer.with { server in
      for (line, other) in [
        ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", ""),
        ("dGhlIHNhbXBsZSBub25jZQ==", "short"),
        ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 8"),
        ("Connection: Upgrade", "Connection: keep-alive"),
      ] {
        let socket = try await RawSocket.connect(server)
        let request = RawSocket.handshake(server).replacing(line, with: other)
        try await socket.send(Array(request.utf8))
        try await socket.wait("an answer") { $0.head != nil || $0.isClosed }
        #expect(await socket.head?.hasPrefix("HTTP/1.1 426") == true)
        try await socket.close()
      }
    }
  }
}
