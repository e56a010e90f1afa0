import Foundation
import NIOHTTP1
import NIOWebSocket
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Bodies and query strings that nobody should send, against the real server: never a 500, never
/// silence, and every refusal in its service's form.
@Suite struct WireFuzzTests {
  private static let words: [JSONValue] = [
    nil, true, 0, -1, 9_223_372_036_854_775_807, .number(1e300), .number(-0.5), "", " ", "ana",
    "ana@example.org", "a\u{0}b", "\u{202E}x", "🧑‍🚀", "00000000-0000-4000-8000-000000000000",
    "2026-01-01T00:00:00Z", "off", "precise", "incoming", "active", "'; drop table users; --",
    .string(String(repeating: "x", count: 3000)), [], [1], [:], ["a": ["b": [nil]]],
    ["latitude": 91, "longitude": .number(1e9), "recorded_at": "never"],
  ]

  private static func json(_ depth: Int, _ random: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
    case 6:
      .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in json(depth - 1, &random) })
    case 7:
      .object(
        Dictionary(
          (0..<Int.random(in: 0..<4, using: &random)).map { ("k\($0)", json(depth - 1, &random)) }
        ) { $1 })
    default: words.randomElement(using: &random) ?? nil
    }
  }

  private static func body(
    _ names: [String], _ random: inout SeededGenerator
  ) throws -> Data {
    var object: [String: JSONValue] = [:]
    for name in names where Int.random(in: 0..<5, using: &random) > 0 {
      object[name] = json(2, &random)
    }
    var data = try WireJSON.encode(object)
    // Now and then it is no JSON any more.
    if Int.random(in: 0..<6, using: &random) == 0, data.count > 2 {
      data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
    }
    return data
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `bodies of the auth service`(seed: UInt64) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      var random = SeededGenerator(seed: seed)
      let names = [
        "email", "password", "data", "phone", "refresh_token", "app_metadata", "current_password",
      ]
      let calls: [(HTTPMethod, String)] = [
        (.POST, "/signup"), (.POST, "/token?grant_type=password"),
        (.POST, "/token?grant_type=refresh_token"), (.PUT, "/user"), (.POST, "/recover"),
        (.POST, "/logout?scope=x"), (.POST, "/token?grant_type=%00"), (.POST, "/nowhere"),
      ]
      for _ in 0..<120 {
        guard let (method, path) = calls.randomElement(using: &random) else { continue }
        let isNew = Bool.random(using: &random)
        let reply = try await ana.client.send(
          method, "/auth/v1" + path, data: Self.body(names, &random),
          headers: isNew ? [AuthFailure.versionHeader: AuthFailure.version] : [:])
        #expect(reply.status < 500, "\(method) \(path): \(reply.json)")
        guard reply.status >= 400 else { continue }
        let keys = Set(reply.json.object?.keys.filter { $0 != "weak_password" } ?? [])
        #expect(keys == (isNew ? ["code", "message"] : ["code", "error_code", "msg"]))
      }
      // A random body of /user may have changed the password, and nothing ended the session.
      #expect(try await ana.client.send(.GET, "/auth/v1/user").status == 200)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `arguments of every function`(seed: UInt64) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let table = FunctionTable(presence: PresentUsers(), moves: try .immediate())
      var random = SeededGenerator(seed: seed)
      for name in table.names {
        let parameters = table[name]?.parameters.sorted() ?? []
        for _ in 0..<8 {
          let reply = try await ana.client.send(
            .POST, "/rest/v1/rpc/\(name)", data: Self.body(parameters, &random))
          try expectForm(of: reply, "\(name)")
        }
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `query strings of tables and functions`(seed: UInt64) async throws {
    let pieces = [
      "id", "username", "select", "order", "limit", "offset", "or", "and", "not", "eq", "in",
      "like", "is", "null", "p_query", "p_limit", "columns", "on_conflict", "=", "=", "&", "&",
      ".", ".", ",", "(", ")", "*", "%25", "%00", "%F0%9F", "%", "+", "->>", "::", "\"", "-1", "0",
      "99999999999999999999", "00000000-0000-4000-8000-000000000001", "2026-01-01", "%C3%A9", "?",
      "/", ";", "'",
    ]
    let headers: [[String: String]] = [
      [:], ["range": "0-0"], ["range": "5-1"], ["range": "x"], ["prefer": "count=exact"],
      ["prefer": "handling=strict, nonsense=1"], ["accept": "application/vnd.pgrst.object+json"],
      ["accept": "image/png"], ["accept-profile": "secret"], ["prefer": "count=exact,tx=rollback"],
    ]
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      var random = SeededGenerator(seed: seed)
      let paths =
        ReadableTable.allCases.map(\.rawValue)
        + ["rpc/fetch_friends", "rpc/search_people", "rpc/fetch_friendship_status", "users"]
      for _ in 0..<250 {
        let query = (0..<Int.random(in: 0...10, using: &random)).map { _ in
          pieces.randomElement(using: &random) ?? ""
        }.joined()
        let path = paths.randomElement(using: &random) ?? ""
        let url = "/rest/v1/\(path)?\(query)"
        // What the test's own client does not send.
        guard URL(string: server.url + url) != nil else { continue }
        let reply = try await ana.client.send(
          .GET, url, headers: headers.randomElement(using: &random) ?? [:])
        try expectForm(of: reply, url)
      }
    }
  }

  @Test(arguments: [100, 500, 513, 20_000])
  func `values within values within values`(depth: Int) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
        let value =
          String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        let call = try await ana.client.send(
          .POST, "/rest/v1/rpc/fetch_friends", data: Data(#"{"p_query":\#(value)}"#.utf8))
        #expect(call.status == 400)
        try expectForm(of: call, "\(depth) \(open)")
        let user = try await ana.client.send(
          .PUT, "/auth/v1/user", data: Data(#"{"data":{"deep":\#(value)}}"#.utf8))
        #expect(user.status < 500)
        let probe = try await RealtimeProbe.connect(server)
        try await probe.send(
          .text,
          Array(
            #"{"topic":"realtime:a","event":"phx_join","ref":"1","payload":{"x":\#(value)}}"#.utf8))
        _ = try await probe.drain()
        try await probe.close()
      }
    }
  }

  private func expectForm(of reply: RawClient.Reply, _ what: String) throws {
    #expect(reply.status < 500, "\(what): \(reply.json)")
    guard reply.status >= 400 else { return }
    #expect(
      reply.json.object?.keys.sorted() == ["code", "details", "hint", "message"],
      "\(what): \(reply.json)")
    #expect(reply.json["message"]?.string?.isEmpty == false)
    let code = reply.json["code"]?.string ?? ""
    #expect(
      reply.headers.first(name: "Proxy-Status") == "PostgREST; error=\(code)", "\(what)")
  }
}
