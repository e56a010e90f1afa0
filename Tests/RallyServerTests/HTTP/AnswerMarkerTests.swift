import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct AnswerMarkerTests {
  private let mark = AnswerMark.random()

  @Test(arguments: [
    ("GET", "/health", 200), ("GET", "/auth/v1/health", 200), ("GET", "/auth/v1/user", 403),
    ("GET", "/auth/v1/nothing", 404), ("POST", "/rest/v1/rpc/fetch_friends", 401),
    ("POST", "/rest/v1/rpc/nothing", 404), ("GET", "/rest/v1/profiles", 401),
    ("POST", "/phone/owntracks", 401), ("GET", "/calendar/x.ics", 404),
    ("GET", RealtimeTopic.path, 426), ("GET", "/", 404), ("HEAD", "/health", 200),
  ])
  func `every kind of answer repeats the value of its request`(
    method: String, path: String, status: Int
  ) async throws {
    try await TestServer.with { server in
      let reply = try await RawClient(server).send(
        .init(rawValue: method), path, data: method == "POST" ? Data("{}".utf8) : nil,
        headers: [AnswerMark.requestHeader: mark])
      #expect(reply.status == status)
      #expect(reply.headers[AnswerMark.answerHeader] == [mark])
    }
  }

  @Test func `a void function's answer and a table's are marked`() async throws {
    try await TestServer.with { server in
      let mara = try await Person.signUp("mara", on: server)
      let headers = [AnswerMark.requestHeader: mark]
      let void = try await mara.client.send(
        .POST, "/rest/v1/rpc/set_location_sharing", ["p_mode": "off"], headers: headers)
      #expect(void.status == 204)
      #expect(void.headers[AnswerMark.answerHeader] == [mark])
      let rows = try await mara.client.send(.GET, "/rest/v1/profiles", headers: headers)
      #expect(rows.status == 200)
      #expect(rows.headers[AnswerMark.answerHeader] == [mark])
    }
  }

  @Test func `a refusal before any route is marked`() async throws {
    try await TestServer.with { server in
      let connection = try await RawConnection(server)
      await connection.send(
        "POST /rest/v1/rpc/fetch_friends HTTP/1.1\r\nHost: x\r\n\(AnswerMark.requestHeader): \(mark)"
          + "\r\nContent-Length: 99999999\r\n\r\n")
      let text = try await connection.untilClosed()
      #expect(connection.statuses == ["413 Payload Too Large"])
      #expect(text.contains("\(AnswerMark.answerHeader): \(mark)\r\n"))
    }
  }

  @Test func `a taken upgrade and a refused one are marked`() async throws {
    try await TestServer.with { server in
      for (key, status) in [(server.key, "101"), ("wrong", "401")] {
        let socket = try await RawSocket.connect(server)
        let handshake = RawSocket.handshake(server)
          .replacing("apikey=\(server.key)", with: "apikey=\(key)")
          .replacing(
            "Host: 127.0.0.1",
            with: "Host: 127.0.0.1\r\n\(AnswerMark.requestHeader): \(mark)")
        try await socket.send(Array(handshake.utf8))
        try await socket.wait("an answer") { $0.head != nil }
        let head = try #require(await socket.head)
        #expect(head.hasPrefix("HTTP/1.1 \(status) "))
        #expect(head.contains("\(AnswerMark.answerHeader): \(mark)\r\n"))
      }
    }
  }

  @Test func `answers to requests that came together have each their own value`() async throws {
    try await TestServer.with { server in
      let connection = try await RawConnection(server)
      let marks = ["first", "second"]
      await connection.send(
        marks.map {
          "GET /auth/v1/health HTTP/1.1\r\nHost: x\r\napikey: \(server.key)\r\n"
            + "\(AnswerMark.requestHeader): \($0)\r\n\r\n"
        }.joined())
      try await connection.wait("both answers") { $0.statuses.count == 2 }
      let found = connection.text.split(separator: "\r\n").filter {
        $0.hasPrefix(AnswerMark.answerHeader)
      }
      #expect(found == marks.map { "\(AnswerMark.answerHeader): \($0)" })
      connection.close()
    }
  }

  @Test func `a request without a value, or with one that is none, gets no mark`() async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      for headers in [[:], [AnswerMark.requestHeader: "a b"]] {
        let reply = try await client.send(.GET, "/auth/v1/health", headers: headers)
        #expect(reply.status == 200)
        #expect(!reply.headers.contains(name: AnswerMark.answerHeader))
      }
    }
  }
}
