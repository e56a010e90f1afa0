import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Query parameters and headers on rows, as PostgREST answers them, over HTTP.
@Suite(.everyEngine, .acrossNodes) struct RestRowsTests {
  /// Ana, and her friends ben, cem and dora.
  private func withFriends(
    _ body: (Person, [Person]) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      var friends: [Person] = []
      for name in ["ben", "cem", "dora"] {
        let friend = try await Person.signUp(name, on: server)
        try await ana.befriend(friend)
        friends.append(friend)
      }
      try await body(ana, friends)
    }
  }

  private func names(_ reply: RawClient.Reply) -> [String] {
    reply.json.array?.compactMap { $0["username"]?.string } ?? []
  }

  @Test func `the rows of a function are filtered, sorted, shaped and cut`() async throws {
    try await withFriends { ana, friends in
      func ask(_ query: String) async throws -> RawClient.Reply {
        try await ana.client.send(.POST, "/rest/v1/rpc/fetch_friends?\(query)", [:])
      }
      #expect(try await names(ask("order=username.desc")) == ["dora", "cem", "ben"])
      let page = try await ask("order=username.desc&limit=1&offset=1")
      #expect(names(page) == ["cem"])
      #expect(page.status == 200)
      #expect(page.headers.first(name: "Content-Range") == "1-1/*")
      #expect(
        try await names(ask("username=in.(cem,\"dora\")&id=neq.\(friends[1].wireID)"))
          == ["dora"])
      #expect(
        try await ask("select=who:username&username=eq.ben").json == [["who": "ben"]])
      // Arguments in the body, and what the function cuts, come first.
      let searched = try await ana.client.send(
        .POST, "/rest/v1/rpc/fetch_friends?order=username.desc", ["p_limit": 2])
      #expect(names(searched) == ["cem", "ben"])
      let read = try await ana.client.send(
        .GET, "/rest/v1/rpc/fetch_friends?p_limit=2&username=like.c*&select=username")
      #expect(read.json == [["username": "cem"]])
    }
  }

  @Test func `null columns are there`() async throws {
    try await withFriends { ana, _ in
      let row = try await ana.client.call(FetchFriends()).json.array?.first
      #expect(row?["last_seen"] == .null)
      let asked = try await ana.client.send(
        .POST, "/rest/v1/rpc/fetch_friends?last_seen=is.null&limit=1", [:],
        headers: ["Accept": "application/vnd.pgrst.array+json;nulls=stripped"])
      #expect(asked.json.array?.first?["id"] != nil)
      #expect(asked.json.array?.first?["last_seen"] == nil)
    }
  }

  @Test func `counting tells where the page lies`() async throws {
    try await withFriends { ana, _ in
      func ask(
        _ query: String, range: String = "", prefer: String = "count=exact"
      ) async throws -> (status: Int, range: String?, reply: RawClient.Reply) {
        let reply = try await ana.client.send(
          .GET, "/rest/v1/friendships?\(query)", headers: ["Prefer": prefer, "Range": range])
        return (reply.status, reply.headers.first(name: "Content-Range"), reply)
      }
      let all = try await ask("")
      #expect(all.status == 200)
      #expect(all.range == "0-2/3")
      #expect(all.reply.headers.first(name: "Preference-Applied") == "count=exact")
      let part = try await ask("limit=2")
      #expect(part.status == 206)
      #expect(part.range == "0-1/3")
      let ranged = try await ask("", range: "1-5")
      #expect(ranged.status == 206)
      #expect(ranged.range == "1-2/3")
      #expect(try await ask("offset=1&limit=2", range: "2-").range == "2-2/3")
      #expect(try await ask("", range: "0-0", prefer: "return=minimal").range == "0-0/*")
      let edge = try await ask("offset=3")
      #expect(edge.status == 206)
      #expect(edge.range == "*/3")
      #expect(edge.reply.json == [])
      let beyond = try await ask("offset=4")
      #expect(beyond.status == 416)
      #expect(beyond.reply.json["code"] == "PGRST103")
      #expect(
        beyond.reply.json["details"]
          == "An offset of 4 was requested, but there are only 3 rows.")
      #expect(try await ask("offset=4", prefer: "").status == 200)
      #expect(try await ask("", range: "3-1").status == 416)
      #expect(try await ask("", range: "bytes=0-1").range == "0-2/3")
      let none = try await ask("status=eq.pending")
      #expect(none.status == 200)
      #expect(none.range == "*/0")
      for (query, prefer, status, range) in [
        ("limit=0", "", 200, "*/*"), ("limit=0", "count=exact", 206, "*/3"),
        ("", "count=planned", 200, "0-2/3"), ("limit=1", "count=estimated", 206, "0-0/3"),
      ] {
        let page = try await ask(query, prefer: prefer)
        #expect(page.status == status)
        #expect(page.range == range)
        let applied = page.reply.headers.first(name: "Preference-Applied")
        #expect(applied == (prefer.isEmpty ? nil : prefer))
      }
      let largest = try await ask("limit=\(Int.max)&offset=\(Int.max)", prefer: "")
      #expect(largest.reply.json == [])
    }
  }

  @Test func `preferences may come in several lines`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let connection = try await RawConnection(server)
      await connection.send(
        "GET /rest/v1/friendships HTTP/1.1\r\nHost: x\r\napikey: \(server.key)\r\n"
          + "Authorization: Bearer \(ana.session.accessToken)\r\n"
          + "Prefer: handling=strict\r\nPrefer: count=exact\r\n\r\n")
      try await connection.wait("the answer") { $0.text.hasSuffix("[]") }
      let text = connection.text.lowercased()
      #expect(text.contains("content-range: */0\r\n"))
      #expect(text.contains("preference-applied: handling=strict, count=exact\r\n"))
    }
  }

  @Test func `a single object is one row or a refusal`() async throws {
    try await withFriends { ana, _ in
      let single = ["Accept": "application/vnd.pgrst.object+json"]
      func ask(_ query: String) async throws -> RawClient.Reply {
        try await ana.client.send(
          .POST, "/rest/v1/rpc/fetch_friends?\(query)", [:], headers: single)
      }
      let one = try await ask("username=eq.ben")
      #expect(one.status == 200)
      #expect(one.json["username"] == "ben")
      #expect(
        one.headers.first(name: "Content-Type")
          == "application/vnd.pgrst.object+json; charset=utf-8")
      for (query, count) in [("", 3), ("username=eq.nobody", 0)] {
        let reply = try await ask(query)
        #expect(reply.status == 406)
        #expect(reply.json["code"] == "PGRST116")
        #expect(reply.json["message"] == "Cannot coerce the result to a single JSON object")
        #expect(reply.json["details"] == .string("The result contains \(count) rows"))
      }
      // What is one row anyway.
      let own = try await ana.client.send(
        .POST, "/rest/v1/rpc/update_profile?select=bio", ["p_bio": "here"], headers: single)
      #expect(own.json == ["bio": "here"])
    }
  }

  @Test func `one row, one value and nothing at all grant the same preferences`() async throws {
    try await withFriends { ana, friends in
      let ben: JSONValue = ["p_user_id": .string(friends[0].wireID)]
      for (name, body, status, range) in [
        ("update_profile", ["p_bio": "here"], 200, "0-0/1"),
        ("fetch_friendship_status", ben, 200, "0-0/1"), ("remove_friend", ben, 204, "*/0"),
      ] as [(String, JSONValue, Int, String)] {
        let reply = try await ana.client.send(
          .POST, "/rest/v1/rpc/\(name)", body,
          headers: [
            "Prefer": "handling=strict, count=exact",
            "Accept": "application/vnd.pgrst.object+json",
          ])
        #expect(reply.status == status)
        #expect(reply.headers.first(name: "Content-Range") == range)
        #expect(
          reply.headers.first(name: "Preference-Applied") == "handling=strict, count=exact")
        #expect(
          reply.headers.first(name: "Content-Type")
            == (status == 204 ? nil : "application/vnd.pgrst.object+json; charset=utf-8"))
      }
      let plain = try await ana.client.send(.POST, "/rest/v1/rpc/fetch_friendship_status", ben)
      #expect(plain.headers.first(name: "Content-Range") == "0-0/*")
      #expect(plain.headers.first(name: "Preference-Applied") == nil)
      #expect(plain.headers.first(name: "Content-Type") == "application/json; charset=utf-8")
    }
  }

  @Test func `a query that cannot be read calls nothing`() async throws {
    try await withFriends { ana, friends in
      let narrowed = try await ana.client.send(
        .POST, "/rest/v1/rpc/update_profile?bio=eq.x", ["p_bio": "new"])
      #expect(narrowed.status == 400)
      #expect(narrowed.json["code"] == "PGRST100")
      let unknown = try await ana.client.send(
        .POST, "/rest/v1/rpc/remove_friend?limit=1",
        ["p_user_id": .string(friends[0].wireID)])
      #expect(unknown.json["code"] == "PGRST100")
      #expect(try await ana.result(of: FetchFriends()).count == 3)
      #expect(try await ana.result(of: FetchProfiles(userIDs: [ana.id])).first?.bio == "")
      let column = try await ana.client.send(
        .POST, "/rest/v1/rpc/fetch_friends?secret=eq.1", [:])
      #expect(column.status == 400)
      #expect(column.json["code"] == "42703")
      #expect(column.json["message"] == "column fetch_friends.secret does not exist")
      #expect(column.headers.first(name: "Proxy-Status") == "PostgREST; error=42703")
    }
  }

  @Test func `what is asked of the answer and not offered is refused`() async throws {
    try await withFriends { ana, _ in
      func ask(_ headers: [String: String]) async throws -> RawClient.Reply {
        try await ana.client.send(.GET, "/rest/v1/friendships", headers: headers)
      }
      let table = try await ask(["Accept": "text/csv"])
      #expect(table.status == 406)
      #expect(table.json["code"] == "PGRST107")
      #expect(try await ask(["Accept": "text/csv, */*"]).status == 200)
      let strict = try await ask(["Prefer": "handling=strict, wonder=yes"])
      #expect(strict.status == 400)
      #expect(strict.json["code"] == "PGRST122")
      #expect(try await ask(["Prefer": "handling=lenient, wonder=yes"]).status == 200)
      #expect(try await ask(["Prefer": "return=representation"]).json.array?.count == 3)
      let schema = try await ask(["Accept-Profile": "secret"])
      #expect(schema.status == 406)
    }
  }

  @Test func `a HEAD request counts without rows`() async throws {
    try await withFriends { ana, _ in
      for path in ["friendships?limit=1", "rpc/fetch_friends?limit=1"] {
        let reply = try await ana.client.send(
          .HEAD, "/rest/v1/\(path)", headers: ["Prefer": "count=exact"])
        #expect(reply.status == 206)
        #expect(reply.headers.first(name: "Content-Range") == "0-0/3")
        #expect(reply.body.isEmpty)
      }
      // Refused or not, it is as long as what GET would have said.
      for path in ["friendships", "friendships?select=nothing", "rpc/no_such"] {
        let (head, whole) = (
          try await ana.client.send(.HEAD, "/rest/v1/\(path)"),
          try await ana.client.send(.GET, "/rest/v1/\(path)")
        )
        #expect(head.status == whole.status)
        #expect(head.headers.first(name: "Content-Length") == "\(whole.body.count)")
        #expect(
          head.headers.first(name: "Proxy-Status") == whole.headers.first(name: "Proxy-Status"))
      }
    }
  }
}
