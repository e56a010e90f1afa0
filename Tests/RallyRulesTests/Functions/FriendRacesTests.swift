import Foundation
import RallyTestSupport
import RallyWire
import Testing

/// People who act at the same moment, over HTTP, on the real server.
@Suite(.everyEngine, .acrossNodes) struct FriendRacesTests {
  private static let rounds = 50

  private func twoPeople(
    _ body: (TestServer, Person, Person) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await body(server, ana, ben)
    }
  }

  @Test func `two who ask each other become friends in one row`() async throws {
    try await twoPeople { _, ana, ben in
      for _ in 0..<Self.rounds {
        async let one = ana.refusal(of: RequestFriend(userID: ben.id))
        async let other = ben.refusal(of: RequestFriend(userID: ana.id))
        let refusals = try await [one, other]
        #expect(refusals == [nil, nil])
        #expect(try await ana.result(of: FetchFriends()).count == 1)
        #expect(try await ben.result(of: FetchFriends()).count == 1)
        #expect(try await ana.result(of: FetchFriendRequests(direction: .outgoing)).isEmpty)
        _ = try await ana.result(of: RemoveFriend(userID: ben.id))
      }
    }
  }

  @Test func `accepting against cancelling has one winner`() async throws {
    try await twoPeople { _, ana, ben in
      for _ in 0..<Self.rounds {
        _ = try await ana.result(of: RequestFriend(userID: ben.id))
        async let cancelling = ana.refusal(of: CancelFriendRequest(userID: ben.id))
        async let accepting = ben.refusal(
          of: RespondToFriendRequest(userID: ana.id, accept: true))
        let (cancelled, accepted) = try await (cancelling, accepting)
        let status = try await ana.result(of: FetchFriendshipStatus(userID: ben.id))
        if status == .friends {
          #expect(cancelled == "request_gone")
          #expect(accepted == nil)
          _ = try await ana.result(of: RemoveFriend(userID: ben.id))
        } else {
          #expect(status == .none)
          #expect(cancelled == nil)
          #expect(accepted == "request_gone")
        }
      }
    }
  }

  @Test func `a block wins over accepting`() async throws {
    try await twoPeople { _, ana, ben in
      for _ in 0..<Self.rounds {
        _ = try await ana.result(of: RequestFriend(userID: ben.id))
        async let blocking = ana.refusal(of: BlockUser(userID: ben.id))
        async let accepting = ben.refusal(
          of: RespondToFriendRequest(userID: ana.id, accept: true))
        let (blocked, accepted) = try await (blocking, accepting)
        #expect(blocked == nil)
        #expect(accepted == nil || accepted == "not_found")
        #expect(try await ana.result(of: FetchFriendshipStatus(userID: ben.id)) == .blocked)
        #expect(try await ben.result(of: FetchFriends()).isEmpty)
        _ = try await ana.result(of: UnblockUser(userID: ben.id))
      }
    }
  }

  @Test func `one client id sent twenty times at once has one effect`() async throws {
    try await twoPeople { _, ana, _ in
      let call = FunctionCall(UpdateProfile(bio: "hello"), clientID: UUID())
      let versions = try await withThrowingTaskGroup(of: Int64.self) { tasks in
        for _ in 0..<20 { tasks.addTask { try await ana.result(of: call).version } }
        return try await tasks.reduce(into: []) { $0.append($1) }
      }
      #expect(versions == Array(repeating: 2, count: 20))
    }
  }
}
