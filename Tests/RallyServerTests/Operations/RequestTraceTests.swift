import Foundation
import Logging
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Synchronization
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct RequestTraceTests {
  /// Lines as they would be written.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func logger(_ format: LogFormat) -> Logger {
      var logger = Logger(label: "server") { label in
        ServerLogHandler(label: label, format: format) { line in
          self.lines.withLock { $0.append(line) }
        }
      }
      logger.logLevel = .debug
      return logger
    }

    var all: [String] { lines.withLock { $0 } }
  }

  @Test func `a request's own id is kept where it is one, and made where not`() async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      func id(_ given: String?) async throws -> String? {
        try await client.send(
          .GET, "/auth/v1/health", headers: given.map { ["X-Request-Id": $0] } ?? [:]
        ).headers.first(name: "x-request-id")
      }
      #expect(try await id("abc-1.2_Z") == "abc-1.2_Z")
      var made: Set<String> = []
      for wrong in [nil, "two words", String(repeating: "a", count: 65), "a\"b"] {
        let id = try #require(try await id(wrong))
        #expect(id != wrong && UInt64(id, radix: 16) != nil)
        made.insert(id)
      }
      #expect(made.count == 4)
      let refused = try await client.send(
        .GET, "/nowhere", headers: ["X-Request-Id": "lost", "apikey": ""])
      #expect(refused.headers.first(name: "x-request-id") == "lost")
    }
  }

  @Test func `every line is one object, with nothing in it that people keep to themselves`()
    async throws
  {
    let lines = Lines()
    let server = try await TestServer.start(logger: lines.logger(.json))
    let ana = try await Person.signUp("ana", on: server)
    try await ana.publish(.sample())
    _ = try await ana.client.send(
      .GET, "/rest/v1/rpc/fetch_missions?p_scope=nearby&p_latitude=38.7223&p_longitude=-9.1393",
      headers: ["X-Request-Id": "near"])
    _ = try await RawClient(server).send(
      .POST, "/auth/v1/token?grant_type=password",
      ["email": "ana@example.org", "password": "wrong guess"])
    try await server.stop()
    let objects = try lines.all.map { line in
      try WireJSON.decode([String: JSONValue].self, from: Data(line.utf8))
    }
    #expect(objects.allSatisfy { $0["time"] != nil && $0["level"] != nil })
    let near = try #require(objects.first { $0["request_id"] == "near" })
    #expect(near["route"] == "/rest/v1/rpc/fetch_missions")
    #expect(near["status"] == "200")
    #expect(near["method"] == "GET")
    let text = lines.all.joined()
    for secret in [
      "38.7223", "9.1393", "wrong guess", Person.password, ana.session.accessToken,
      ana.session.refreshToken, server.key, "ana@example.org",
    ] {
      #expect(!text.contains(secret))
    }
  }

  @Test func `no value can pass for a line or for a field of its own`() throws {
    let handler = ServerLogHandler(label: "server", format: .text) { _ in }
    let line = handler.line(
      .warning, "odd\nmessage", ["a": "x=1 y\n2026", "b": "plain", "c": ""],
      at: try #require(WireTime("2026-01-02T03:04:05Z")))
    #expect(
      line
        == #"2026-01-02T03:04:05.000000+00:00 warning odd message a="x=1 y\n2026" b=plain c="""#)
    let object = ServerLogHandler(label: "server", format: .json) { _ in }.line(
      .info, "odd\nmessage", ["message": "mine"], at: .now)
    #expect(!object.contains("\n"))
    let decoded = try WireJSON.decode([String: JSONValue].self, from: Data(object.utf8))
    #expect(decoded["message"] == "odd\nmessage")
  }
}
