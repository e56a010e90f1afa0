import Foundation
import RallyTestSupport
import RallyWire
import Testing

@Suite(.everyEngine, .acrossNodes) struct FriendFunctionsTests {
  private func people(
    _ body: (TestServer, Person, Person) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await body(server, ana, ben)
    }
  }

  // MARK: - Requests

  @Test func `a request that is accepted makes two friends`() async throws {
    try await people { _, ana, ben in
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      #expect(
        try await ben.result(of: FetchFriendRequests(direction: .incoming)).map(\.username)
          == ["ana"])
      #expect(
        try await ana.result(of: FetchFriendRequests(direction: .outgoing)).map(\.username)
          == ["ben"])
      #expect(try await ana.result(of: FetchFriendshipStatus(userID: ben.id)) == .outgoing)
      #expect(try await ben.result(of: FetchFriendshipStatus(userID: ana.id)) == .incoming)
      _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: true))
      #expect(try await ana.result(of: FetchFriends()).map(\.username) == ["ben"])
      #expect(try await ben.result(of: FetchFriends()).map(\.username) == ["ana"])
      #expect(try await ben.result(of: FetchFriendRequests(direction: .incoming)).isEmpty)
      #expect(try await ben.result(of: FetchFriendshipStatus(userID: ana.id)) == .friends)
    }
  }

  @Test func `asking somebody who asked me makes us friends`() async throws {
    try await people { _, ana, ben in
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      _ = try await ben.result(of: RequestFriend(userID: ana.id))
      #expect(try await ana.result(of: FetchFriends()).map(\.username) == ["ben"])
    }
  }

  @Test func `asking again, or asking a friend, changes nothing`() async throws {
    try await people { _, ana, ben in
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      #expect(try await ben.result(of: FetchFriendRequests(direction: .incoming)).count == 1)
      _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: true))
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      #expect(try await ana.result(of: FetchFriendshipStatus(userID: ben.id)) == .friends)
    }
  }

  @Test func `a declined request is gone and may be made again`() async throws {
    try await people { _, ana, ben in
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: false))
      #expect(try await ana.result(of: FetchFriendshipStatus(userID: ben.id)) == .none)
      #expect(try await ana.refusal(of: CancelFriendRequest(userID: ben.id)) == "request_gone")
      #expect(try await ana.refusal(of: RequestFriend(userID: ben.id)) == nil)
    }
  }

  @Test func `a cancelled request cannot be accepted`() async throws {
    try await people { _, ana, ben in
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      _ = try await ana.result(of: CancelFriendRequest(userID: ben.id))
      let accept = RespondToFriendRequest(userID: ana.id, accept: true)
      #expect(try await ben.refusal(of: accept) == "request_gone")
    }
  }

  @Test func `nobody can accept their own request`() async throws {
    try await people { _, ana, ben in
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      let accept = RespondToFriendRequest(userID: ben.id, accept: true)
      #expect(try await ana.refusal(of: accept) == "request_gone")
      #expect(try await ben.refusal(of: CancelFriendRequest(userID: ana.id)) == "request_gone")
    }
  }

  @Test func `a friendship ends for both, once`() async throws {
    try await people { _, ana, ben in
      try await ana.befriend(ben)
      _ = try await ben.result(of: RemoveFriend(userID: ana.id))
      #expect(try await ana.result(of: FetchFriends()).isEmpty)
      #expect(try await ana.refusal(of: RemoveFriend(userID: ben.id)) == "not_friends")
    }
  }

  @Test func `oneself and nobody are no friends to have`() async throws {
    try await people { _, ana, _ in
      let nobody = UUID()
      let toMyself = [
        try await ana.refusal(of: RequestFriend(userID: ana.id)),
        try await ana.refusal(of: BlockUser(userID: ana.id)),
      ]
      #expect(toMyself == ["yourself", "yourself"])
      let toNobody = [
        try await ana.refusal(of: RequestFriend(userID: nobody)),
        try await ana.refusal(of: CancelFriendRequest(userID: nobody)),
        try await ana.refusal(of: RemoveFriend(userID: nobody)),
        try await ana.refusal(of: BlockUser(userID: nobody)),
        try await ana.refusal(of: UnblockUser(userID: nobody)),
        try await ana.refusal(of: FetchFriendshipStatus(userID: nobody)),
      ]
      #expect(toNobody == Array(repeating: "not_found", count: 6))
    }
  }

  // MARK: - Blocks

  @Test func `blocking ends what there was and hides the blocker`() async throws {
    try await people { _, ana, ben in
      try await ana.befriend(ben)
      _ = try await ana.result(of: BlockUser(userID: ben.id))

      #expect(try await ana.result(of: FetchFriends()).isEmpty)
      #expect(try await ben.result(of: FetchFriends()).isEmpty)
      #expect(try await ana.result(of: FetchFriendshipStatus(userID: ben.id)) == .blocked)
      #expect(try await ana.result(of: FetchBlockedUsers()).map(\.username) == ["ben"])
      #expect(try await ana.refusal(of: RequestFriend(userID: ben.id)) == "blocked_by_you")

      // For ben, ana is as unknown as anybody who never was.
      let unknown = UUID()
      for (toAna, toNobody) in [
        (
          try await ben.client.call(RequestFriend(userID: ana.id)),
          try await ben.client.call(RequestFriend(userID: unknown))
        ),
        (
          try await ben.client.call(BlockUser(userID: ana.id)),
          try await ben.client.call(BlockUser(userID: unknown))
        ),
        (
          try await ben.client.call(FetchFriendshipStatus(userID: ana.id)),
          try await ben.client.call(FetchFriendshipStatus(userID: unknown))
        ),
        (
          try await ben.client.call(FetchProfiles(userIDs: [ana.id])),
          try await ben.client.call(FetchProfiles(userIDs: [unknown]))
        ),
      ] {
        #expect(toAna.status == toNobody.status)
        #expect(toAna.body == toNobody.body)
      }
      #expect(try await ben.result(of: SearchPeople(query: "ana")).isEmpty)
      #expect(
        try await ana.result(of: SearchPeople(query: "ben")).map(\.friendshipStatus)
          == [.blocked])
    }
  }

  @Test func `a block ends a request in either direction`() async throws {
    try await people { _, ana, ben in
      _ = try await ben.result(of: RequestFriend(userID: ana.id))
      _ = try await ana.result(of: BlockUser(userID: ben.id))
      #expect(try await ana.result(of: FetchFriendRequests(direction: .incoming)).isEmpty)
      #expect(try await ben.result(of: FetchFriendRequests(direction: .outgoing)).isEmpty)
    }
  }

  @Test func `after unblocking both start anew`() async throws {
    try await people { _, ana, ben in
      _ = try await ana.result(of: BlockUser(userID: ben.id))
      _ = try await ana.result(of: BlockUser(userID: ben.id))
      _ = try await ana.result(of: UnblockUser(userID: ben.id))
      _ = try await ana.result(of: UnblockUser(userID: ben.id))
      #expect(try await ana.result(of: FetchBlockedUsers()).isEmpty)
      #expect(try await ben.refusal(of: RequestFriend(userID: ana.id)) == nil)
    }
  }

  // MARK: - Lists

  @Test func `friends are sorted and found without regard to case and accents`() async throws {
    try await people { server, ana, _ in
      for (username, name) in [("p1", "Émile"), ("p2", "eva"), ("p3", "Zoë"), ("p4", "ÀLEX")] {
        let person = try await Person.signUp(username + "x", on: server)
        _ = try await person.result(of: UpdateProfile(displayName: name))
        try await ana.befriend(person)
      }
      #expect(
        try await ana.result(of: FetchFriends()).map(\.displayName)
          == ["ÀLEX", "Émile", "eva", "Zoë"])
      #expect(
        try await ana.result(of: FetchFriends(query: "ÉM")).map(\.displayName) == ["Émile"])
      #expect(try await ana.result(of: FetchFriends(query: "zoe")).map(\.username) == ["p3x"])
      #expect(try await ana.result(of: FetchFriends(query: "p2")).map(\.username) == ["p2x"])
      #expect(
        try await ana.result(of: FetchFriends(limit: 2, offset: 1)).map(\.displayName)
          == ["Émile", "eva"])
      #expect(try await ana.refusal(of: FetchFriends(limit: -1)) == "invalid_argument")
    }
  }

  @Test func `a search puts the exact username first and leaves me out`() async throws {
    try await people { server, ana, ben in
      for username in ["anabel", "ana_2", "hanna", "joanab"] {
        _ = try await Person.signUp(username, on: server)
      }
      #expect(
        try await ben.result(of: SearchPeople(query: "@ANA")).map(\.username)
          == ["ana", "ana_2", "anabel", "joanab"])
      #expect(
        try await ana.result(of: SearchPeople(query: "ana")).map(\.username)
          == ["ana_2", "anabel", "joanab"])
      #expect(try await ana.result(of: SearchPeople(query: " ")).isEmpty)
      #expect(try await ana.result(of: SearchPeople(query: "%")).isEmpty)
    }
  }

  @Test func `requests come newest first`() async throws {
    try await people { server, ana, ben in
      let cleo = try await Person.signUp("cleo", on: server)
      _ = try await ben.result(of: RequestFriend(userID: ana.id))
      _ = try await cleo.result(of: RequestFriend(userID: ana.id))
      #expect(
        try await ana.result(of: FetchFriendRequests(direction: .incoming)).map(\.username)
          == ["cleo", "ben"])
    }
  }
}
