import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem

@Suite struct ServerAnswersTests {
  /// A page of a portal, a proxy or a firewall.
  private static func page(_ status: Int) -> HTTPAnswer {
    HTTPAnswer(
      status: status, headers: ["content-type": "text/html"], body: Data("<html>Hello".utf8))
  }

  private static let json = ["content-type": "application/json; charset=utf-8"]

  private static func json(_ status: Int, _ text: String) -> HTTPAnswer {
    HTTPAnswer(status: status, headers: json, body: Data(text.utf8))
  }

  /// What becomes of an answer to the first call to a server.
  private func send(
    _ answer: HTTPAnswer, as success: ServerAnswers.Success = .json, isMarked: Bool = false,
    by answers: ServerAnswers = ServerAnswers()
  ) async throws -> ServerAnswer {
    let transport = Transport(
      send: { isMarked ? answer.marked(for: $0) : answer },
      openSocket: { _ in throw NetworkError.connectionLost })
    let call = HTTPCall(
      endpoint: .url(try ServerURL("http://rally.example.org")), method: .post,
      path: "/rest/v1/rpc/f")
    return try await answers.send(call, as: success, over: transport)
  }

  // MARK: - Against the real server

  @Test(arguments: [200, 204, 404, 403, 413, 502])
  func `a page of somebody else is neither success nor refusal`(status: Int) async throws {
    try await TestServer.with { server in
      let mara = try await TestPerson(signingUp: "mara", on: server)
      let nils = try await TestPerson(signingUp: "nils", on: server)
      mara.gate.answer("block_user", Self.page(status), isMarked: false)
      await #expect(throws: NetworkError.notTheServer(status: status)) {
        try await mara.friendsService.blockUser(userID: nils.userID)
      }
      mara.gate.release("block_user")
      #expect(try await mara.friendsService.fetchBlockedUsers().isEmpty)
    }
  }

  @Test func `an answer of the server to an earlier call is not taken for this one's`()
    async throws
  {
    try await TestServer.with { server in
      let mara = try await TestPerson(signingUp: "mara", on: server)
      var old = HTTPAnswer(status: 204)
      old.headers[AnswerMark.answerHeader.lowercased()] = AnswerMark.random()
      mara.gate.answer("set_location_sharing", old, isMarked: false)
      await #expect(throws: NetworkError.notTheServer(status: 204)) {
        try await mara.locationsService.setLocationSharing(userID: nil, mode: .off, until: nil)
      }
    }
  }

  @Test func `a stranger's refusal of a refresh does not end the session`() async throws {
    try await TestServer.with { server in
      let mara = try await TestPerson(signingUp: "mara", on: server)
      mara.gate.answer(
        "fetch_friends",
        Self.json(401, #"{"code":"PGRST303","message":"JWT expired","details":null}"#), times: 1)
      mara.gate.answer(
        "refresh_token",
        Self.json(400, #"{"code":"refresh_token_not_found","message":"No"}"#), isMarked: false)
      await #expect(throws: NetworkError.notTheServer(status: 400)) {
        try await mara.friendsService.fetchFriends()
      }
      #expect(await mara.authService.currentUserID == mara.userID)
    }
  }

  @Test func `a WebSocket that somebody else opens is closed`() async throws {
    try await TestServer.with { server in
      let answers = ServerAnswers()
      let call = SocketCall(
        endpoint: .url(try ServerURL(server.url)),
        path: "\(RealtimeTopic.path)?apikey=\(server.key)&vsn=1.0.0")
      try await answers.open(call, over: .live).close()
      let strange = Transport(
        send: Transport.live.send,
        openSocket: { call in
          var link = try await Transport.live.openSocket(call)
          link.answer.headers[AnswerMark.answerHeader.lowercased()] = nil
          return link
        })
      await #expect(throws: NetworkError.notTheServer(status: 101)) {
        _ = try await answers.open(call, over: strange)
      }
    }
  }

  // MARK: - Servers that mark nothing

  @Test func `a server that marks nothing is known by status, type and content`() async throws {
    #expect(try await send(HTTPAnswer(status: 204), as: .nothing).status == 204)
    #expect(try await send(Self.json(200, "[]")).decoded([Int].self) == [])
    #expect(try await send(Self.json(206, "[]")).status == 206)
    let refusal = #"{"code":"P0001","message":"Gone","details":null,"hint":"request_gone"}"#
    await #expect(
      throws: NetworkError.refused(FunctionFailure(.requestGone, "Gone"), status: 400)
    ) {
      try await send(Self.json(400, refusal))
    }
    await #expect(throws: NetworkError.invalidKey) {
      try await send(Self.json(401, #"{"message":"Invalid API key"}"#))
    }
  }

  @Test func `what has not the form of a server's answer is none`() async throws {
    let body = HTTPAnswer(status: 204, headers: Self.json, body: Data("{}".utf8))
    let cases: [(HTTPAnswer, ServerAnswers.Success)] = [
      (Self.page(200), .json), (Self.page(200), .nothing), (Self.json(200, "[]"), .nothing),
      (HTTPAnswer(status: 204), .json), (body, .nothing), (Self.page(401), .json),
      (Self.json(404, #"{"error":"no such page"}"#), .json), (Self.page(503), .json),
      (HTTPAnswer(status: 407), .json), (Self.json(302, "{}"), .json),
    ]
    for (answer, success) in cases {
      await #expect(throws: NetworkError.notTheServer(status: answer.status)) {
        try await send(answer, as: success)
      }
    }
    let portal = try await send(Self.json(200, #"{"login":"required"}"#))
    #expect(throws: NetworkError.notTheServer(status: 200)) { try portal.decoded([Int].self) }
  }

  @Test func `a server that has marked an answer is not taken without a mark any more`()
    async throws
  {
    let answers = ServerAnswers()
    _ = try await send(Self.json(200, "[]"), by: answers)
    _ = try await send(Self.json(200, "[]"), isMarked: true, by: answers)
    await #expect(throws: NetworkError.notTheServer(status: 200)) {
      try await send(Self.json(200, "[]"), by: answers)
    }
  }

  @Test func `a marked answer in another form than agreed is a fault of the server`()
    async throws
  {
    let answer = try await send(Self.json(200, "{}"), isMarked: true)
    #expect(throws: NetworkError.invalidResponse) { try answer.decoded([Int].self) }
    await #expect(throws: NetworkError.http(status: 503)) {
      try await send(Self.page(503), isMarked: true)
    }
  }

  // MARK: - What others say

  @Test(
    arguments: [
      ("https://rally.example.org/rest/v1/rpc/f", "https://rally.example.org", true),
      ("https://rally.example.org/", "https://rally.example.org", true),
      ("https://new.example.org/here/rest/v1/rpc/f?x=1", "https://new.example.org/here", false),
    ])
  func `a redirect to the same path names the server's address`(
    location: String, address: String, isSameHost: Bool
  ) async throws {
    let moved = NetworkError.moved(to: try ServerURL(address), isSameHost: isSameHost)
    for status in [301, 302, 307, 308] {
      await #expect(throws: moved) {
        try await send(HTTPAnswer(status: status, headers: ["location": location]))
      }
    }
    #expect(moved.sentence.contains(address))
    #expect(moved.isOffline && moved.isTransient)
  }

  @Test(arguments: ["http://portal.example/login", "/login", "", "http://rally.example.org/login"])
  func `a redirect to another page is a stranger's`(location: String) async throws {
    await #expect(throws: NetworkError.notTheServer(status: 302)) {
      try await send(HTTPAnswer(status: 302, headers: ["location": location]))
    }
  }

  @Test func `a wait may be a number of seconds or a time`() async throws {
    let wait = NetworkError.rateLimited(retryAfter: .seconds(4))
    for headers in [
      ["retry-after": "4"],
      [
        "retry-after": "Wed, 21 Oct 2015 07:28:04 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT",
      ],
    ] {
      await #expect(throws: wait) { try await send(HTTPAnswer(status: 429, headers: headers)) }
    }
    await #expect(throws: NetworkError.rateLimited(retryAfter: .zero)) {
      try await send(
        HTTPAnswer(
          status: 429, headers: ["retry-after": "Wed, 21 Oct 2015 07:28:04 GMT"]))
    }
    await #expect(throws: NetworkError.rateLimited(retryAfter: nil)) {
      try await send(HTTPAnswer(status: 429, headers: ["retry-after": "soon"]))
    }
  }
}
