import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct FriendsServiceTests {
  @Test func `a request is seen by both, accepted, and makes friends`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await ana.friendsService.requestFriend(userID: ben.userID)
      let asked = try await ana.friendsService.fetchFriendRequests(direction: .outgoing)
      #expect(asked.map(\.id) == [ben.userID])
      #expect(asked.first?.profile.friendshipStatus == .outgoing)
      let heard = try await ben.friendsService.fetchFriendRequests(direction: .incoming)
      #expect(heard.map(\.id) == [ana.userID])
      #expect(
        try await ben.friendsService.fetchFriendshipStatus(with: ana.userID) == .incoming)
      try await ben.friendsService.respondToFriendRequest(userID: ana.userID, accept: true)
      let friends = try await ana.friendsService.fetchFriends(limit: 25, offset: 0)
      #expect(friends.map(\.username) == ["ben"])
      #expect(friends.first?.since != nil)
      #expect(friends.first?.presence == .offline)
    }
  }

  @Test func `a request can be declined, cancelled and the friendship ended`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let service = ana.friendsService
      try await service.requestFriend(userID: ben.userID)
      try await ben.friendsService.respondToFriendRequest(userID: ana.userID, accept: false)
      #expect(try await service.fetchFriendshipStatus(with: ben.userID) == FriendshipStatus.none)
      try await service.requestFriend(userID: ben.userID)
      try await service.cancelFriendRequest(userID: ben.userID)
      #expect(try await service.fetchFriendshipStatus(with: ben.userID) == FriendshipStatus.none)
      try await service.requestFriend(userID: ben.userID)
      try await ben.friendsService.requestFriend(userID: ana.userID)
      #expect(try await service.fetchFriendshipStatus(with: ben.userID) == .friends)
      try await service.removeFriend(userID: ben.userID)
      #expect(try await service.fetchFriendshipStatus(with: ben.userID) == FriendshipStatus.none)
    }
  }

  @Test func `a refusal carries the machine's word and a person's sentence`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let failure = await #expect(throws: NetworkError.self) {
        try await ana.friendsService.requestFriend(userID: ana.userID)
      }
      guard case .refused(let refusal, let status) = failure else {
        Issue.record("expected a refusal, found \(String(describing: failure))")
        return
      }
      #expect(refusal.reason == .yourself)
      #expect(status == 400)
      #expect(!refusal.message.isEmpty)
    }
  }

  @Test func `a person is found by exactly their name, and not once they block me`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let anabel = try await TestPerson(signingUp: "anabel", on: server)
      let found = try await anabel.friendsService.findPerson(username: try Username("@Ana"))
      #expect(found?.id == ana.userID)
      #expect(try await ana.friendsService.findPerson(username: try Username("anabe")) == nil)
      try await anabel.friendsService.blockUser(userID: ana.userID)
      #expect(try await ana.friendsService.findPerson(username: try Username("anabel")) == nil)
      #expect(
        try await anabel.friendsService.fetchBlockedUsers().map(\.friendshipStatus) == [.blocked])
      try await anabel.friendsService.unblockUser(userID: ana.userID)
      #expect(try await ana.friendsService.findPerson(username: try Username("anabel")) != nil)
    }
  }

  @Test func `text of other people is cleaned at the border`() async throws {
    let gate = TransportGate(over: nil)
    let row = ProfileRecord(
      id: Samples.id(2), username: "eve", displayName: "E\u{1B}[31mve\u{202E}", bio: "a\nb\u{7}",
      version: 1, createdAt: Samples.time)
    gate.answer(
      "search_people",
      HTTPAnswer(
        status: 200,
        body: try WireJSON.encode([PersonRecord(profile: row, friendshipStatus: .none)])))
    let folder = try TemporaryFolder()
    let tokens = TokenStore(folder: folder.path, server: "fake")
    try tokens.save(Samples.session(at: .now))
    let client = SupabaseClient(tokens: tokens, transport: gate.transport) {
      ServerAddress(endpoint: .unixSocket(path: "/none"), key: "key")
    }
    let people = try await FriendsService(client: client).searchPeople(query: "eve")
    #expect(people.first?.displayName == "E[31mve")
    #expect(people.first?.bio == "a b")
  }
}
