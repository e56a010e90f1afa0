import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// What becomes of a connection that asks for another protocol, or was used before it does.
@Suite struct UpgradeGateTests {
  private static let health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"

  private func heartbeat(_ connection: RawConnection) async throws {
    let message = #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":7}"#
    await connection.send(RawSocket.frame(0x81, Array(message.utf8)))
    try await connection.wait("a reply") { $0.text.contains(#""ref":7"#) }
  }

  @Test func `any request of a connection may become a socket`() async throws {
    try await TestServer.with { server in
      let connection = try await RawConnection(server)
      for number in 1...3 {
        await connection.send(Self.health)
        try await connection.wait("an answer") { $0.statuses.count == number }
      }
      await connection.send(RawSocket.handshake(server))
      try await connection.wait("an answer") { $0.statuses.count == 4 }
      #expect(
        connection.statuses == Array(repeating: "200 OK", count: 3) + ["101 Switching Protocols"])
      try await heartbeat(connection)
      await connection.send(RawSocket.frame(0x88, [0x03, 0xE8]))
      _ = try await connection.untilClosed()
    }
  }

  @Test func `a socket on a used connection outlives the idle time of HTTP`() async throws {
    try await TestServer.with(configure: { $0.httpLimits.idleTime = .milliseconds(300) }) {
      server in
      let idle = try await RawConnection(server)
      let connection = try await RawConnection(server)
      for connection in [idle, connection] {
        await connection.send(Self.health)
        try await connection.wait("an answer") { !$0.statuses.isEmpty }
      }
      await connection.send(RawSocket.handshake(server))
      _ = try await idle.untilClosed()
      try await heartbeat(connection)
    }
  }

  @Test func `frames that come with a later handshake are read after it`() async throws {
    try await TestServer.with { server in
      let connection = try await RawConnection(server)
      await connection.send(Self.health)
      try await connection.wait("an answer") { !$0.statuses.isEmpty }
      let message = #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":9}"#
      await connection.send(
        Array(RawSocket.handshake(server).utf8) + RawSocket.frame(0x81, Array(message.utf8)))
      try await connection.wait("a reply") { $0.text.contains(#""ref":9"#) }
    }
  }

  @Test(arguments: ["GET", "POST"], ["Connection: Upgrade\r\n", "Connection: x, upgrade\r\n", ""])
  func `a request whose upgrade is not taken leaves the connection whole`(
    _ method: String, _ connected: String
  ) async throws {
    try await TestServer.with { server in
      let connection = try await RawConnection(server)
      let refused =
        "\(method) /health HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\(connected)"
        + (method == "POST" ? "Content-Length: 2\r\n\r\n{}" : "\r\n")
      for number in 1...2 {
        await connection.send(refused)
        try await connection.wait("an answer") { $0.statuses.count == 2 * number - 1 }
        await connection.send(Self.health)
        try await connection.wait("an answer") { $0.statuses.count == 2 * number }
      }
      // What comes behind it in the same read is answered, too.
      await connection.send(refused + Self.health + Self.health)
      try await connection.wait("answers") { $0.statuses.count == 7 }
      #expect(connection.statuses.last == "200 OK")
      await connection.send(RawSocket.handshake(server))
      try await connection.wait("an answer") { $0.statuses.count == 8 }
      #expect(connection.statuses.last == "101 Switching Protocols")
    }
  }

  @Test func `the server ends with a socket on a used connection`() async throws {
    let server = try await TestServer.start()
    let connection = try await RawConnection(server)
    await connection.send(Self.health)
    try await connection.wait("an answer") { !$0.statuses.isEmpty }
    await connection.send(RawSocket.handshake(server))
    try await heartbeat(connection)
    async let ended: Void = server.stop()
    _ = try await connection.untilClosed()
    try await ended
  }
}
