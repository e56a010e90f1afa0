import Foundation
import HTTPTypes
import HummingbirdCore
import NIOHTTP1
import RallyStorage
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Who sees which rows of the readable tables, over HTTP.
@Suite(.everyEngine, .acrossNodes) struct TableTests {
  /// Ana shares her position and made a mission; the others stand to her in every way there is.
  private struct World {
    var ana: Person
    var friend: Person
    /// Asked ana for friendship.
    var asker: Person
    var stranger: Person
    /// Whom ana blocked, once a friend and a member.
    var blocked: Person
    /// Who blocked ana, once a friend and a member.
    var blocker: Person
    var mission: UUID
    var privateMission: UUID
    var server: TestServer

    var others: [(name: String, person: Person)] {
      [
        ("friend", friend), ("asker", asker), ("stranger", stranger), ("blocked", blocked),
        ("blocker", blocker),
      ]
    }
  }

  private func withWorld(_ body: (World) async throws -> Void) async throws {
    try await TestServer.with { server in
      func person(_ name: String) async throws -> Person {
        try await Person.signUp(name, on: server)
      }
      let ana = try await person("ana")
      let friend = try await person("friend")
      let asker = try await person("asker")
      let stranger = try await person("stranger")
      let blocked = try await person("blocked")
      let blocker = try await person("blocker")
      for other in [friend, blocked, blocker] { try await ana.befriend(other) }
      _ = try await asker.result(of: RequestFriend(userID: ana.id))
      let mission = try await ana.result(of: CreateMission.sample())
      let secret = try await ana.result(of: CreateMission.sample("Mine", visibility: .private))
      for other in [friend, blocked, blocker] {
        _ = try await other.result(of: JoinMission(missionID: mission.id))
      }
      _ = try await ana.result(of: SayInMission(missionID: mission.id, text: "hello"))
      try await ana.share(.approximate1km)
      try await ana.share(.precise, with: blocked)
      try await ana.publish(.sample())
      _ = try await ana.result(of: BlockUser(userID: blocked.id))
      _ = try await blocker.result(of: BlockUser(userID: ana.id))
      try await body(
        World(
          ana: ana, friend: friend, asker: asker, stranger: stranger, blocked: blocked,
          blocker: blocker, mission: mission.id, privateMission: secret.id, server: server))
    }
  }

  private func rows(_ table: String, _ query: String = "", as person: Person) async throws
    -> [JSONValue]
  {
    let reply = try await person.client.send(.GET, "/rest/v1/\(table)?\(query)")
    #expect(reply.status == 200, "\(table)?\(query): \(reply.json)")
    return reply.json.array ?? []
  }

  // MARK: - Who sees what

  @Test func `a profile is seen by everybody but those whom its owner blocked`() async throws {
    try await withWorld { world in
      for (name, person) in world.others {
        for query in ["id=eq.\(world.ana.wireID)", "username=eq.ana", "username=in.(ana,nobody)"] {
          let seen = try await rows("profiles", query, as: person)
          #expect(seen.map { $0["username"] } == (name == "blocked" ? [] : ["ana"]), "\(name)")
        }
        // Without a name: oneself and one's friends, whatever else is filtered.
        let circle = try await rows("profiles", "bio=eq.&order=username", as: person)
        #expect(
          circle.compactMap { $0["username"]?.string }
            == (name == "friend" ? ["ana", "friend"] : [name]))
        #expect(
          try await rows("profiles", "or=(username.eq.stranger,bio.eq.)", as: person).count
            == circle.count)
      }
      let unknown = try await world.blocked.client.send(
        .GET, "/rest/v1/profiles?id=eq.\(UUID().wireText)")
      let hidden = try await world.blocked.client.send(
        .GET, "/rest/v1/profiles?id=eq.\(world.ana.wireID)")
      #expect(unknown.body == hidden.body)
      #expect(
        unknown.headers.first(name: "Content-Range") == hidden.headers.first(name: "Content-Range"))
    }
  }

  @Test func `friendships are seen by their two people`() async throws {
    try await withWorld { world in
      let own = try await rows("friendships", "order=created_at", as: world.ana)
      #expect(own.map { $0["status"] } == ["accepted", "pending"])
      for (name, person) in world.others {
        let seen = try await rows("friendships", as: person)
        #expect(seen.count == (["friend", "asker"].contains(name) ? 1 : 0), "\(name)")
        for row in own {
          let id = row["id"]?.string ?? ""
          let found = try await rows("friendships", "id=eq.\(id)", as: person)
          #expect(found.count == (seen.first?["id"]?.string == id ? 1 : 0), "\(name)")
        }
      }
    }
  }

  @Test func `positions are those that were cut for the reader`() async throws {
    try await withWorld { world in
      let owner = "user_id=eq.\(world.ana.wireID)"
      for (name, person) in world.others {
        #expect(
          try await rows("locations", owner, as: person).count == (name == "friend" ? 1 : 0),
          "\(name)")
      }
      let fetched = try await world.friend.location(of: world.ana)
      let seen = try #require(try await rows("locations", owner, as: world.friend).first)
      #expect(try seen.decoded(as: LocationRecord.self) == fetched)
      #expect(seen["speed"] == .null)
      // A filter meets the middle of the cell, and never the place itself.
      let place = Coordinate.lisbon
      let cell = try #require(fetched?.coordinate)
      #expect(cell != place)
      for (column, real, cut) in [
        ("latitude", place.latitude, cell.latitude), ("longitude", place.longitude, cell.longitude),
      ] {
        #expect(try await rows("locations", "\(column)=eq.\(real)", as: world.friend).isEmpty)
        #expect(try await rows("locations", "\(column)=eq.\(cut)", as: world.friend).count == 1)
      }
      #expect(try await rows("locations", "battery=gt.0", as: world.friend).isEmpty)
      #expect(try await rows("locations", "source=eq.gps", as: world.friend).isEmpty)
      #expect(
        try await rows("locations", as: world.ana).map { $0["user_id"] }
          == [.string(world.ana.wireID)])
    }
  }

  @Test func `missions, members and activity follow the rules of missions`() async throws {
    try await withWorld { world in
      let id = world.mission.wireText
      for (name, person) in world.others {
        let isIn = ["friend", "blocked", "blocker"].contains(name)
        for query in ["", "id=eq.\(id)"] {
          #expect(
            try await rows("missions", query, as: person).map { $0["id"] }
              == (isIn ? [.string(id)] : []), "\(name)")
        }
        #expect(
          try await rows("missions", "id=eq.\(world.privateMission.wireText)", as: person).isEmpty)
        for query in ["select=user_id", "select=user_id&mission_id=eq.\(id)"] {
          let members = try await rows("mission_members", query, as: person)
          #expect(members.count == (name == "friend" ? 4 : isIn ? 3 : 0), "\(name)")
          let seesAna = members.contains(["user_id": .string(world.ana.wireID)])
          #expect(seesAna == (name == "friend"), "\(name)")
        }
        for query in ["kind=eq.said", "kind=eq.said&mission_id=eq.\(id)"] {
          #expect(
            try await rows("mission_activity", query, as: person).map { $0["text"] }
              == (name == "friend" ? ["hello"] : []), "\(name)")
        }
      }
      let hidden = try await rows("missions", "select=creator_id", as: world.blocked)
      #expect(hidden == [["creator_id": nil]])
      #expect(
        try await rows("missions", "creator_id=eq.\(world.ana.wireID)", as: world.blocker).isEmpty)
      #expect(try await rows("missions", as: world.ana).count == 2)
      let lines = try await rows("mission_activity", "order=created_at", as: world.ana)
      #expect(lines.first?["kind"] == "created")
      let cursor = try #require(lines.last?["created_at"]?.string).replacing("+", with: "%2B")
      #expect(
        try await rows("mission_activity", "created_at=lt.\(cursor)", as: world.ana).count
          == lines.count - 1)
      #expect(
        try await rows("mission_activity", "created_at=lte.\(cursor)", as: world.ana).count
          == lines.count)
    }
  }

  @Test func `an invited person sees the mission and no activity`() async throws {
    try await withWorld { world in
      _ = try await world.ana.result(
        of: RespondToFriendRequest(userID: world.asker.id, accept: true))
      let mission = try await world.ana.result(
        of: CreateMission.sample("Dinner", visibility: .invited))
      let query = "mission_id=eq.\(mission.id.wireText)"
      #expect(try await rows("mission_members", query, as: world.asker).isEmpty)
      _ = try await world.ana.result(
        of: InviteToMission(missionID: mission.id, userIDs: [world.asker.id]))
      #expect(
        try await rows("mission_members", query + "&order=state.desc", as: world.asker).map {
          $0["state"]
        } == ["joined", "invited"])
      #expect(try await rows("mission_activity", query, as: world.asker).isEmpty)
    }
  }

  // MARK: - Nobody

  @Test func `without a person no table is read`() async throws {
    try await withWorld { world in
      let signedOut = world.stranger
      _ = try await signedOut.client.send(.POST, "/auth/v1/logout")
      for table in ReadableTable.allCases {
        let path = "/rest/v1/\(table.rawValue)"
        let anonymous = try await RawClient(world.server).send(.GET, path)
        #expect(anonymous.status == 401)
        #expect(anonymous.json["code"] == "42501")
        #expect(
          anonymous.json["message"] == .string("permission denied for table \(table.rawValue)"))
        let ended = try await signedOut.client.send(.GET, path)
        #expect(ended.status == 401)
        #expect(ended.json["code"] == "PGRST301")
        let keyless = try await RawClient(world.server).send(.GET, path, headers: ["apikey": ""])
        #expect(keyless.status == 401)
      }
    }
  }

  @Test func `tables are not written`() async throws {
    try await withWorld { world in
      for table in ReadableTable.allCases {
        for method in [.POST, .PATCH, .PUT, .DELETE] as [HTTPMethod] {
          let path = "/rest/v1/\(table.rawValue)?version=gt.0"
          let reply = try await world.ana.client.send(method, path, ["bio": "x"])
          #expect(reply.status == 403)
          #expect(reply.json["code"] == "42501")
          let anonymous = try await RawClient(world.server).send(method, path, ["bio": "x"])
          #expect(anonymous.status == 401)
          #expect(anonymous.json["code"] == "42501")
        }
      }
      #expect(try await rows("friendships", as: world.ana).count == 2)
      for method in [.GET, .HEAD, .POST, .PATCH, .DELETE] as [HTTPMethod] {
        let reply = try await world.ana.client.send(method, "/rest/v1/users", nil)
        #expect(reply.status == 404)
        #expect(reply.headers.first(name: "Proxy-Status") == "PostgREST; error=PGRST205")
      }
    }
  }

  @Test func `a page of activity is read no further than it goes`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create()
    for number in 0..<5 {
      try await world.call(SayInMission(missionID: mission.id, text: "\(number)"), as: 0)
    }
    let caller = world.members[0].caller
    func texts(_ text: String) async throws -> (read: Int, told: [String]) {
      let query = try RowQuery(
        QueryItem.all(in: text), on: ReadableTable.missionActivity.relation)
      let answer = RowAnswer(query: query, preferences: try Preferences([:]), bound: 3)
      let rows = try await world.storage.read { database in
        try TableReader().rows(
          of: .missionActivity, for: query, reach: answer.reach, caller: caller, in: database)
      }
      let told = query.matching(rows).dropFirst(query.offset).prefix(query.limit ?? 3)
      return (rows.count, told.map { $0["text"]?.string ?? "created" })
    }
    let id = mission.id.wireText
    #expect(try await texts("limit=1") == (2, ["4"]))
    #expect(try await texts("limit=1&offset=1&mission_id=eq.\(id)") == (3, ["3"]))
    #expect(try await texts("order=created_at.desc") == (4, ["4", "3", "2"]))
    #expect(try await texts("order=created_at&limit=2") == (6, ["created", "0"]))
    #expect(try await texts("text=eq.0&limit=1") == (6, ["0"]))
    let last = try await world.result(of: FetchMissionActivity(limit: 2), as: 0).last?.createdAt
    let cursor = try #require(last?.zulu)
    #expect(try await texts("created_at=lt.\(cursor)&limit=2") == (3, ["2", "1"]))
  }

  @Test func `an answer has at most a thousand rows`() async throws {
    let rows = (0..<1500).map { number -> JSONRow in ["version": .integer(Int64(number))] }
    let answer = RowAnswer(
      query: .none, preferences: try Preferences([.prefer: "count=exact"]),
      bound: TableReader.pageLimit)
    let response = try answer.response(to: rows)
    #expect(response.status == .partialContent)
    #expect(response.headers[.contentRange] == "0-999/1500")
  }
}
