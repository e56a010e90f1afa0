import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient

/// However slowly a server answers, a call ends.
@Suite(.timeLimit(.minutes(2))) struct RequestDeadlineTests {
  private static let silence = ScriptedServer.Script()
  private static let slowHead = ScriptedServer.Script(
    opening: "HTTP/1.1 200 OK\r\nx-slow: ", drip: "a")
  private static let slowBody = ScriptedServer.Script(
    opening: "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n", drip: "a")
  private static let endlessChunks = ScriptedServer.Script(
    opening: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", drip: "1\r\na\r\n")

  @Test(arguments: [silence, slowHead, slowBody, endlessChunks], ["http", "https"])
  func `a call to a server that never ends its answer times out and is closed`(
    _ script: ScriptedServer.Script, _ scheme: String
  ) async throws {
    try await ScriptedServer.with(script) { server in
      let call = HTTPCall(
        endpoint: try server.endpoint(scheme), method: .get, path: "/auth/v1/health",
        timeout: .milliseconds(100))
      // Whoever expects TLS takes the plain answer for a broken handshake.
      if scheme == "http" || script.opening.isEmpty {
        await #expect(throws: NetworkError.timedOut) { try await Transport.live.send(call) }
      } else {
        await #expect(throws: NetworkError.self) { try await Transport.live.send(call) }
      }
      #expect(await server.connections.first(within: PollingBackoff.limit) { $0 == 0 } != nil)
    }
  }

  @Test func `the beginning of an answer is not waited for until the end of the call`()
    async throws
  {
    try await ScriptedServer.with(Self.silence) { server in
      let call = HTTPCall(
        endpoint: try server.endpoint(), method: .get, path: "/", timeout: .seconds(3))
      let begin = ContinuousClock.now
      await #expect(throws: NetworkError.timedOut) { try await Transport.live.send(call) }
      #expect(begin.duration(to: .now) < call.deadline)
    }
  }

  @Test(arguments: [silence, slowHead], ["http", "https"])
  func `a WebSocket that is never opened times out and is closed`(
    _ script: ScriptedServer.Script, _ scheme: String
  ) async throws {
    try await ScriptedServer.with(script) { server in
      let call = SocketCall(
        endpoint: try server.endpoint(scheme), path: "/realtime/v1/websocket",
        timeout: .milliseconds(100))
      await #expect(throws: NetworkError.self) { try await Transport.live.openSocket(call) }
      #expect(await server.connections.first(within: PollingBackoff.limit) { $0 == 0 } != nil)
    }
  }

  @Test func `opening a WebSocket ends when its task is cancelled`() async throws {
    try await ScriptedServer.with(Self.silence) { server in
      let endpoint = try server.endpoint()
      let opening = Task {
        try await Transport.live.openSocket(SocketCall(endpoint: endpoint, path: "/"))
      }
      #expect(await server.connections.first(within: PollingBackoff.limit) { $0 == 1 } != nil)
      opening.cancel()
      await #expect(throws: (any Error).self) { try await opening.value }
      #expect(await server.connections.first(within: PollingBackoff.limit) { $0 == 0 } != nil)
    }
  }

  @Test func `a slow answer that ends in time is taken`() async throws {
    let script = ScriptedServer.Script(
      opening: "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", drip: "abcde")
    try await ScriptedServer.with(script) { server in
      let answer = try await Transport.live.send(
        HTTPCall(endpoint: try server.endpoint(), method: .get, path: "/"))
      #expect(answer.body == Data("abcde".utf8))
    }
  }

  @Test func `the whole of a call is bounded, and larger than the wait for its beginning`() {
    let call = HTTPCall(endpoint: .unixSocket(path: "/x"), method: .get, path: "/")
    #expect(call.timeout == .seconds(15))
    #expect(call.deadline == .seconds(60))
  }
}
