import Foundation
import NIOHTTP1
import NIOWebSocket
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

/// The socket itself: handshake, frames, closing.
@Suite struct RealtimeSocketTests {
  @Test func `a handshake without a good key or version is refused over HTTP`() async throws {
    try await TestServer.with { server in
      func status(key: String, query: String = "") async throws -> Int? {
        do {
          let probe = try await RealtimeProbe.connect(server, key: key, query: query)
          try await probe.close()
          return nil
        } catch let refused as RealtimeProbe.Refused {
          return refused.status
        }
      }
      #expect(try await status(key: "") == 401)
      #expect(try await status(key: "wrong") == 401)
      #expect(try await status(key: server.key, query: "&vsn=3.0.0") == 400)
      #expect(try await status(key: server.key) == nil)
      #expect(try await status(key: server.key, query: "&vsn=1.0.0&log_level=info") == nil)

      let reply = try await RawClient(server).send(
        .GET, "\(RealtimeTopic.path)?apikey=wrong", headers: ["apikey": ""])
      #expect(reply.json == ["error": "Invalid API key"])
      let plain = try await RawClient(server).send(.GET, RealtimeTopic.path)
      #expect(plain.status == 426)
    }
  }

  @Test func `an upgrade to something else is answered as if nobody had asked`() async throws {
    try await TestServer.with { server in
      let reply = try await RawClient(server).send(
        .GET, "/auth/v1/health", headers: ["connection": "upgrade", "upgrade": "h2c"])
      #expect(reply.status == 200)
    }
  }

  @Test func `a ping comes back as a pong`() async throws {
    try await TestServer.with { server in
      let probe = try await RealtimeProbe.connect(server)
      try await probe.send(.ping, Array("hello".utf8))
      try await probe.wait("pong") { $0.frames == [["pong": "hello"]] }
      try await probe.close()
      #expect(await probe.closeCode == 1000)
    }
  }

  @Test func `frames that are not masked end the connection`() async throws {
    try await TestServer.with { server in
      let probe = try await RealtimeProbe.connect(server)
      try await probe.send(.text, Array("{}".utf8), isMasked: false)
      try await probe.wait("close") { $0.isClosed }
      #expect(await probe.closeCode == 1002)
    }
  }

  @Test func `text that is not UTF-8 ends the connection`() async throws {
    try await TestServer.with { server in
      let probe = try await RealtimeProbe.connect(server)
      try await probe.send(.text, [0xFF, 0xFE])
      try await probe.wait("close") { $0.closeCode != nil }
      #expect(await probe.closeCode == 1007)
    }
  }

  @Test func `what is not a message is ignored`() async throws {
    try await TestServer.with { server in
      let probe = try await RealtimeProbe.connect(server)
      try await probe.send(.text, Array("nonsense".utf8))
      try await probe.send(.text, Array("[1,2]".utf8))
      #expect(try await probe.drain().isEmpty)
      try await probe.close()
    }
  }

  @Test func `a socket from which nothing is heard is closed`() async throws {
    try await TestServer.with(configure: { $0.socketIdleTimeout = .milliseconds(200) }) {
      server in
      let probe = try await RealtimeProbe.connect(server)
      try await probe.wait("close") { $0.isClosed }
      #expect(await probe.closeCode == 1000)
    }
  }

  @Test func `everybody is told when the server ends`() async throws {
    let server = try await TestServer.start()
    let probe = try await RealtimeProbe.connect(server)
    try await server.stop()
    try await probe.wait("close") { $0.closeCode != nil }
    #expect(await probe.closeCode == 1001)
  }
}
