import Foundation
import RallyTestSupport
import RallyWire
import Testing

@Suite struct FriendFunctionsTests {
  @Test func `a request that is accepted makes two friends`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("ben", on: server)
      )
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      #expect(
        try await ben.result(of: FetchFriendRequests(direction: .incoming)).map(\.username)
          == ["ana"])
      #expect(
        try await ana.result(of: FetchFriendRequests(direction: .outgoing)).map(\.username)
          == ["ben"])
      _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: true))
      #expect(try await ana.result(of: FetchFriends()).map(\.username) == ["ben"])
      #expect(try await ben.result(of: FetchFriends()).map(\.username) == ["ana"])
      #expect(try await ben.result(of: FetchFriendRequests(direction: .incoming)).isEmpty)
    }
  }
}
