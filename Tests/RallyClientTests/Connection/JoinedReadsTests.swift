import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem

/// Reads that begin at the same moment, sent to a real server.
@Suite struct JoinedReadsTests {
  private func friends(
    _ body: (_ ana: TestPerson, _ ben: TestPerson) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      ana.client.joinReads()
      try await body(ana, ben)
    }
  }

  /// What two lists have, read at once.
  private func lists(of person: TestPerson) async throws -> (friends: [String], asks: Int) {
    async let friends = person.friendsService.fetchFriends()
    async let asks = person.friendsService.fetchLocationAsks()
    return (try await friends.map(\.username), try await asks.count)
  }

  @Test func `they are one request, and each has its own answer`() async throws {
    try await friends { ana, ben in
      let before = ana.gate.calls.count
      let (friends, asks) = try await lists(of: ana)
      #expect(friends == ["ben"])
      #expect(asks == 0)
      let calls = ana.gate.calls.dropFirst(before)
      #expect(calls.count == 1)
      #expect(calls.first?.hasPrefix("/rest/v1/rpc/catch_up") == true)
    }
  }

  @Test func `what did not change is not sent again, and is there all the same`() async throws {
    try await friends { ana, ben in
      _ = try await lists(of: ana)
      try await ben.friendsService.askLocation(of: ana.userID)
      let (friends, asks) = try await lists(of: ana)
      #expect(friends == ["ben"])
      #expect(asks == 1)
      let body = try #require(ana.gate.bodies(of: "catch_up").last)
      let request = try WireJSON.decode(CatchUp.self, from: body)
      #expect(request.reads.allSatisfy { $0.digest != nil })
    }
  }

  @Test func `a read that is alone is sent by itself`() async throws {
    try await friends { ana, _ in
      let before = ana.gate.calls.count
      let friends = try await ana.friendsService.fetchFriends()
      #expect(friends.map(\.username) == ["ben"])
      #expect(ana.gate.calls.dropFirst(before) == ["/rest/v1/rpc/fetch_friends"])
    }
  }

  /// What else a server may answer: it does not know the function, or makes up rows.
  private static func others() throws -> [HTTPAnswer] {
    let failure = FunctionFailure(code: FunctionFailure.unknownFunction, message: "unknown")
    return [
      HTTPAnswer(status: 404, body: try WireJSON.encode(failure)),
      HTTPAnswer(status: 200, body: Data("[{\"id\":7}]".utf8)),
    ]
  }

  @Test(arguments: 0..<2)
  func `a server without the function is asked for each, from the first time on`(
    other: Int
  ) async throws {
    try await friends { ana, _ in
      ana.gate.answer("catch_up", try Self.others()[other])
      for _ in 0..<2 {
        let lists = try await lists(of: ana)
        #expect(lists.friends == ["ben"])
      }
      #expect(ana.gate.calls(of: "catch_up") == 1)
      #expect(ana.gate.calls(of: "rpc/fetch_friends") == 2)
    }
  }

  @Test func `one that is cancelled ends at once, and the others go on`() async throws {
    try await friends { ana, _ in
      ana.gate.hold("catch_up")
      let asks = Task { try await ana.friendsService.fetchLocationAsks() }
      let friends = Task { try await ana.friendsService.fetchFriends() }
      #expect(await ana.gate.isHeld("catch_up"))
      friends.cancel()
      await #expect(throws: CancellationError.self) { try await friends.value }
      ana.gate.release("catch_up")
      let answered = try await asks.value
      #expect(answered.isEmpty)
    }
  }

  @Test func `without the network each of them fails`() async throws {
    try await friends { ana, _ in
      ana.gate.goOffline()
      let friends = Task { try await ana.friendsService.fetchFriends() }
      let asks = Task { try await ana.friendsService.fetchLocationAsks() }
      await #expect(throws: NetworkError.self) { try await friends.value }
      await #expect(throws: NetworkError.self) { try await asks.value }
    }
  }
}
