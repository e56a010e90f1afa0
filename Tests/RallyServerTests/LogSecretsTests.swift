import Foundation
import Logging
import NIOHTTP1
import NIOWebSocket
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

/// Nothing in the log helps whoever reads it into an account, or to somebody's door.
@Suite struct LogSecretsTests {
  @Test func `no token, password, code or position is logged at the finest level`() async throws {
    let log = LogCapture()
    let folder = try TemporaryFolder()
    let server = try await TestServer.start(logger: log.logger) {
      $0.database = .folder(folder.file("server"))
    }
    var secrets: [String] = [Person.password, "wrong horse"]
    let ana = try await Person.signUp("ana", on: server)
    let ben = try await Person.signUp("ben", on: server)
    try await ana.befriend(ben)
    secrets += [ana, ben].flatMap { [$0.session.accessToken, $0.session.refreshToken] }

    try await auth(ana, on: server, &secrets)
    try await places(ana, ben, &secrets)
    try await sockets(ana, on: server)
    try await nonsense(ana, on: server)
    try await server.stop()

    let text = log.text
    #expect(!text.isEmpty)
    for secret in secrets { #expect(!text.contains(secret), "\(secret) is in the log") }
    // No JSON web token of anybody, whole or in part.
    #expect(!text.contains("eyJ"))
    let keys = try #require(
      FileManager.default.contents(atPath: folder.file("server/server.json")))
    for value in try WireJSON.decode([String: JSONValue].self, from: keys).values {
      if let secret = value.string { #expect(!text.contains(secret)) }
    }
  }

  private func auth(
    _ person: Person, on server: TestServer, _ secrets: inout [String]
  ) async throws {
    let client = RawClient(server)
    for (email, password) in [("ana@example.org", "wrong horse"), ("x@example.org", "wrong horse")]
    {
      _ = try await client.send(
        .POST, "/auth/v1/token?grant_type=password",
        ["email": .string(email), "password": .string(password)])
    }
    let renewed = try await client.send(
      .POST, "/auth/v1/token?grant_type=refresh_token",
      ["refresh_token": .string(person.session.refreshToken)]
    ).decoded(AuthSession.self)
    secrets += [renewed.accessToken, renewed.refreshToken]
    secrets.append("another horse")
    let own = RawClient(server, token: renewed.accessToken)
    _ = try await own.send(.PUT, "/auth/v1/user", ["password": "another horse"])
    _ = try await own.send(
      .PUT, "/auth/v1/user", data: Data("{\"password\":\"another horse\"".utf8))
    _ = try await RawClient(server, token: "\(renewed.accessToken)x").send(.GET, "/auth/v1/user")
    _ = try await RawClient(server, token: "\(renewed.accessToken)x")
      .call(FetchFriends())
  }

  private func places(_ ana: Person, _ ben: Person, _ secrets: inout [String]) async throws {
    let place: JSONValue = [
      "latitude": .number(47.123456), "longitude": .number(11.654321), "accuracy_m": .number(12.5),
      "source": "manual",
      "recorded_at": .string(WireTime.now.zulu),
    ]
    secrets += ["47.123456", "11.654321", "471234560", "116543210"]
    let published = try await ana.client.send(
      .POST, "/rest/v1/rpc/publish_locations", ["p_locations": [place]])
    #expect(published.status == 204)
    _ = try await ana.client.send(
      .POST, "/rest/v1/rpc/publish_locations", ["p_locations": [["latitude": .number(47.123456)]]])
    _ = try await ana.client.call(
      SetLocationSharing(userID: ben.id, mode: .precise, until: nil))
    _ = try await ben.client.send(.POST, "/rest/v1/rpc/fetch_friend_locations", [:])
    _ = try await ben.client.send(.GET, "/rest/v1/locations?latitude=eq.47.123456")
    _ = try await ana.client.send(
      .POST, "/rest/v1/rpc/fetch_missions",
      [
        "p_scope": "nearby", "p_latitude": .number(47.123456), "p_longitude": .number(11.654321),
        "p_radius_m": 1000, "p_limit": 5, "p_offset": 0,
      ])
    let invitation = try await ana.result(of: CreateInvitation(missionID: nil))
    secrets.append(invitation.code.value)
    let calendar = AccessSecret.sample()
    secrets.append(calendar.value)
    _ = try await ana.client.call(MakeCalendarAddress(secret: calendar))
    for method in [HTTPMethod.GET, .POST] {
      _ = try await ana.client.send(method, CalendarAddressRecord.path(calendar))
      _ = try await ana.client.send(method, CalendarAddressRecord.path(calendar) + "/x")
    }
    _ = try await ben.client.send(
      .POST, "/rest/v1/rpc/fetch_invitation", ["p_code": .string(invitation.code.value)])
  }

  private func sockets(_ ana: Person, on server: TestServer) async throws {
    let probe = try await RealtimeProbe.connect(server)
    try await probe.listen(token: ana.session.accessToken)
    try await probe.push(.accessToken, "realtime:friendships", ["access_token": "eyJhbGciOiJI"])
    try await probe.send(.text, Array("{\"eyJhbGciOiJI".utf8))
    try await probe.send(.text, [0xff, 0xfe])
    try await probe.wait("close") { $0.isClosed }
    do {
      try await RealtimeProbe.connect(server, key: "eyJhbGciOiJI").close()
    } catch is RealtimeProbe.Refused {}
  }

  private func nonsense(_ ana: Person, on server: TestServer) async throws {
    let token = ana.session.accessToken
    for bytes in [
      "GET /\(token) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n",
      "GET / HTTP/1.1\r\nAuthorization: Bearer \(token)\r\nbad header\r\n\r\n",
      "\(token)\r\n\r\n",
    ] {
      let connection = try await RawConnection(server)
      await connection.send(bytes)
      try await connection.wait("an answer") { !$0.statuses.isEmpty || $0.isClosed }
      connection.close()
    }
  }
}
