import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite(.everyEngine, .acrossNodes) struct FunctionTableTests {
  // MARK: - Repeats

  @Test func `a repeat gives the first answer even when the world has moved on`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let request = FunctionCall(RequestFriend(userID: ben.id), clientID: UUID())
      _ = try await ana.result(of: request)
      _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: false))
      let again = try await ana.client.call(request)
      #expect(again.json == ["status": "outgoing"])
      #expect(try await ben.result(of: FetchFriendRequests(direction: .incoming)).isEmpty)

      let update = FunctionCall(UpdateProfile(bio: "one"), clientID: UUID())
      let first = try await ana.result(of: update)
      _ = try await ana.result(of: UpdateProfile(bio: "two"))
      #expect(try await ana.result(of: update) == first)
    }
  }

  @Test func `the same client id with another call is refused`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let id = UUID()
      _ = try await ana.result(of: RequestFriend(userID: ben.id), clientID: id)
      for reply in [
        try await ana.client.call(CancelFriendRequest(userID: ben.id), clientID: id),
        try await ana.client.call(RequestFriend(userID: UUID()), clientID: id),
      ] {
        #expect(reply.status == 409)
        #expect(reply.json["hint"] == "repeat_mismatch")
      }
      // Ids belong to one person each.
      #expect(try await ben.refusal(of: UpdateProfile(bio: "x"), clientID: id) == nil)
    }
  }

  @Test func `a refused call does not use its client id up`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      _ = try await ana.result(of: BlockUser(userID: ben.id))
      let request = FunctionCall(RequestFriend(userID: ben.id), clientID: UUID())
      #expect(try await ana.refusal(of: request) == "blocked_by_you")
      _ = try await ana.result(of: UnblockUser(userID: ben.id))
      #expect(try await ana.refusal(of: request) == nil)
      #expect(try await ben.result(of: FetchFriendRequests(direction: .incoming)).count == 1)
    }
  }

  // MARK: - PostgREST's answers

  private func call(
    _ name: String, _ body: JSONValue?, as person: Person, headers: [String: String] = [:]
  ) async throws -> RawClient.Reply {
    try await person.client.send(.POST, "/rest/v1/rpc/\(name)", body, headers: headers)
  }

  @Test func `unknown functions and wrong arguments are not found`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let unknown = try await call("no_such", ["b": 1, "a": 2], as: ana)
      #expect(unknown.status == 404)
      #expect(unknown.json["code"] == "PGRST202")
      #expect(
        unknown.json["message"]
          == "Could not find the function public.no_such(a, b) in the schema cache")
      #expect(
        unknown.json["details"]
          == .string(
            "Searched for the function public.no_such with parameters a, b, but no matches were"
              + " found in the schema cache."))
      #expect(unknown.headers.first(name: "Proxy-Status") == "PostgREST; error=PGRST202")
      #expect(unknown.json.object?.keys.sorted() == ["code", "details", "hint", "message"])

      let wrong = try await call("request_friend", ["p_user": "x"], as: ana)
      #expect(wrong.status == 404)
      #expect(
        wrong.json["hint"]
          == "Perhaps you meant to call the function public.request_friend(p_client_id, p_user_id)")
      let missing = try await call("request_friend", nil, as: ana)
      #expect(missing.status == 404)
      #expect(
        missing.json["message"]?.string?.hasPrefix(
          "Could not find the function public.request_friend without parameters") == true)
      #expect(
        missing.json["details"]?.string?.hasPrefix(
          "Searched for the function public.request_friend without parameters, but") == true)
    }
  }

  @Test func `what is missing inside of an argument is named`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let reply = try await call(
        "create_mission",
        [
          "p_title": "x", "p_latitude": 1, "p_longitude": 1, "p_radius_m": 50,
          "p_objectives": [["title": "a"], ["count": 2]],
        ], as: ana)
      #expect(reply.status == 400)
      #expect(reply.json["hint"] == "invalid_argument")
      #expect(reply.json["message"] == "p_objectives[1].title is missing.")
      let null = try await call("fetch_profiles", ["p_user_ids": [nil]], as: ana)
      #expect(null.status == 400)
      #expect(null.json["message"] == "p_user_ids[0] cannot be null.")
    }
  }

  @Test func `bad values are refused with PostgreSQL's codes`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let uuid = try await call("request_friend", ["p_user_id": "x"], as: ana)
      #expect(uuid.status == 400)
      #expect(uuid.json["code"] == "22P02")
      #expect(uuid.json["message"] == "invalid input syntax for type uuid: \"x\"")
      let list = try await call("fetch_profiles", ["p_user_ids": ["y"]], as: ana)
      #expect(list.json["message"] == "invalid input syntax for type uuid: \"y\"")
      let direction = try await call(
        "fetch_friend_requests", ["p_direction": "sideways"], as: ana)
      #expect(direction.status == 400)
      #expect(direction.json["hint"] == "invalid_argument")
      let null = try await call("request_friend", ["p_user_id": nil], as: ana)
      #expect(null.json["hint"] == "invalid_argument")
      let broken = try await ana.client.send(
        .POST, "/rest/v1/rpc/fetch_friends", data: Data("{".utf8))
      #expect(broken.status == 400)
      #expect(broken.json["code"] == "PGRST102")
    }
  }

  private static let wrongValues: [(name: String, body: JSONValue, code: String, says: String)] = [
    (
      "fetch_friends", ["p_limit": .number(1.5)], "22P02",
      #"invalid input syntax for type integer: "1.5""#
    ),
    (
      "fetch_friends", ["p_limit": "many"], "22P02",
      #"invalid input syntax for type integer: "many""#
    ),
    (
      "fetch_friends", ["p_limit": .number(1e30)], "22003",
      #"value "1e+30" is out of range for type integer"#
    ),
    ("fetch_friends", ["p_limit": [1]], "22P02", "invalid input syntax for p_limit"),
    ("fetch_friends", ["p_query": 5], "22P02", "invalid input syntax for p_query"),
    (
      "create_mission",
      [
        "p_title": "x", "p_latitude": 1, "p_longitude": 1, "p_radius_m": 50,
        "p_objectives": [["title": "a", "count": .number(2.5)]],
      ], "22P02", #"invalid input syntax for type integer: "2.5""#
    ),
    (
      "create_mission",
      ["p_title": "x", "p_latitude": "north", "p_longitude": 1, "p_radius_m": 50], "22P02",
      #"invalid input syntax for type double precision: "north""#
    ),
    (
      "fetch_friend_locations", ["p_since": "soon"], "22007",
      #"invalid input syntax for type timestamp with time zone: "soon""#
    ),
    (
      "fetch_friend_locations", ["p_since": 5], "22007",
      #"invalid input syntax for type timestamp with time zone: "5""#
    ),
  ]

  @Test func `a value of another type is named as PostgreSQL does`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      for wrong in Self.wrongValues {
        let reply = try await call(wrong.name, wrong.body, as: ana)
        #expect(reply.status == 400)
        #expect(reply.json["code"] == .string(wrong.code))
        #expect(reply.json["message"] == .string(wrong.says))
        #expect(reply.json["hint"] == "invalid_argument")
      }
    }
  }

  @Test func `values may come as their text, and times without their zone`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      for name in ["ben", "cem"] {
        try await ana.befriend(try await Person.signUp(name, on: server))
      }
      let one = try await call("fetch_friends", ["p_limit": "1"], as: ana)
      #expect(one.json.array?.count == 1)
      for time in ["2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00+02:00"] {
        let since = try await call("fetch_friend_locations", ["p_since": .string(time)], as: ana)
        #expect(since.status == 200, "\(time)")
        let query = time.replacing("+", with: "%2B")
        let read = try await ana.client.send(
          .GET, "/rest/v1/rpc/fetch_friend_locations?p_since=\(query)")
        #expect(read.status == 200, "\(time)")
      }
    }
  }

  @Test func `anonymous callers are refused with 401`() async throws {
    try await TestServer.with { server in
      let reply = try await RawClient(server).call(FetchFriends())
      #expect(reply.status == 401)
      #expect(reply.json["code"] == "42501")
      #expect(reply.json["message"] == "permission denied for function fetch_friends")
    }
  }

  @Test func `the API key alone, which a link opens, calls no function`() async throws {
    let names = FunctionTable(presence: PresentUsers(), moves: try .immediate()).names
    #expect(names.count > 40)
    try await TestServer.with { server in
      for name in names {
        let reply = try await RawClient(server).send(.POST, "/rest/v1/rpc/\(name)", [:])
        #expect(reply.status == 401, "\(name)")
      }
    }
  }

  @Test func `a token that was tampered with is refused`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      for token in [ana.session.accessToken + "x", "nonsense"] {
        let reply = try await RawClient(server, token: token).call(FetchFriends())
        #expect(reply.status == 401)
        #expect(reply.json["code"] == "PGRST301")
        #expect(reply.headers.first(name: "WWW-Authenticate")?.hasPrefix("Bearer") == true)
      }
    }
  }

  @Test func `every kind of result has its shape`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let none = try await ana.client.call(FetchFriends())
      #expect(none.status == 200)
      #expect(none.json == [])
      #expect(none.headers.first(name: "Content-Range") == "*/*")
      #expect(none.headers.first(name: "Content-Type") == "application/json; charset=utf-8")
      let requested = try await ana.client.call(RequestFriend(userID: ben.id))
      #expect(requested.json == ["status": "outgoing"])
      let unasked = try await call(RequestFriend.name, ["p_user_id": .string(ben.wireID)], as: ana)
      #expect(unasked.status == 204)
      #expect(unasked.body.isEmpty)
      let void = try await ana.client.call(UnblockUser(userID: ben.id))
      #expect(void.status == 204)
      #expect(void.body.isEmpty)
      #expect(void.headers.first(name: "Content-Type") == nil)
      let rows = try await ana.client.call(SearchPeople(query: "ben"))
      #expect(rows.headers.first(name: "Content-Range") == "0-0/*")
      #expect(rows.json.array?.first?["id"] == .string(ben.wireID))
      let scalar = try await ana.client.call(FetchFriendshipStatus(userID: ben.id))
      #expect(scalar.json == "outgoing")
      let composite = try await ana.client.call(UpdateProfile(bio: "x"))
      #expect(composite.json["bio"] == "x")
      #expect(composite.json["created_at"]?.string?.hasSuffix("+00:00") == true)
    }
  }

  @Test func `reading functions may be called by GET, writing ones may not`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      let search = try await ana.client.send(
        .GET, "/rest/v1/rpc/search_people?p_query=ben&p_limit=5")
      #expect(search.json.array?.count == 1)
      let profiles = try await ana.client.send(
        .GET, "/rest/v1/rpc/fetch_profiles?p_user_ids=%7B\(ben.wireID)%7D")
      #expect(profiles.json.array?.first?["username"] == "ben")
      // Quoted, spaced, or empty.
      for (list, count) in [
        ("{\"\(ben.wireID)\"}", 1), ("{ \(ana.wireID), \"\(ben.wireID)\" }", 2), ("{}", 0),
      ] {
        let query = try #require(list.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let named = try await ana.client.send(
          .GET, "/rest/v1/rpc/fetch_profiles?p_user_ids=\(query)")
        #expect(named.json.array?.count == count, "\(list)")
      }
      let list = try await ana.client.send(.GET, "/rest/v1/rpc/fetch_profiles?p_user_ids=%7Bx")
      #expect(list.json["code"] == "22P02")
      #expect(list.json["message"] == #"malformed array literal: "{x""#)
      // What is declared as text is none.
      let text = try await ana.client.send(
        .GET, "/rest/v1/rpc/search_people?p_query=%7Bben%7D")
      #expect(text.status == 200)
      #expect(text.json == [])
      let write = try await ana.client.send(
        .GET, "/rest/v1/rpc/request_friend?p_user_id=\(ben.wireID)")
      #expect(write.status == 405)
      #expect(write.json["code"] == "25006")
      let head = try await ana.client.send(
        .HEAD, "/rest/v1/rpc/request_friend?p_user_id=\(ben.wireID)")
      #expect(head.status == 405)
      #expect(head.headers.first(name: "Proxy-Status") == "PostgREST; error=25006")
      #expect(try await ben.result(of: FetchFriendRequests(direction: .incoming)).isEmpty)
      let delete = try await ana.client.send(.DELETE, "/rest/v1/rpc/fetch_friends")
      #expect(delete.status == 405)
      #expect(delete.json["code"] == "PGRST101")
    }
  }

  @Test func `what is not offered is refused and not ignored`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let wide = try await ana.client.send(
        .POST, "/rest/v1/rpc/fetch_friendship_status?limit=1", ["p_user_id": .string(ana.wireID)])
      #expect(wide.status == 400)
      #expect(wide.json["code"] == "PGRST100")
      let schema = try await call(
        "fetch_friends", [:], as: ana, headers: ["Content-Profile": "secret"])
      #expect(schema.status == 406)
      #expect(schema.json["code"] == "PGRST106")
      let table = try await ana.client.send(.GET, "/rest/v1/secrets")
      #expect(table.status == 404)
      #expect(table.json["code"] == "PGRST205")
    }
  }

  @Test func `without the API key nothing is reached`() async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      for path in ["/rest/v1/rpc/fetch_friends", "/auth/v1/token?grant_type=password"] {
        let none = try await client.send(.POST, path, [:], headers: ["apikey": ""])
        #expect(none.status == 401)
        #expect(none.json["message"] == "No API key found in request")
        let bad = try await client.send(.POST, path, [:], headers: ["apikey": "wrong"])
        #expect(bad.status == 401)
        #expect(bad.json["message"] == "Invalid API key")
      }
      let query = try await client.send(
        .GET, "/auth/v1/health?apikey=\(server.key)", headers: ["apikey": ""])
      #expect(query.status == 200)
    }
  }
}
