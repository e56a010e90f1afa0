import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct FriendsRealtimeServiceTests {
  @Test func `a request, a friendship and who is online are told as they happen`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      var events = try await ana.friendsRealtimeService.listen().makeAsyncIterator()
      while await events.next() != .live {}
      try await ben.friendsService.requestFriend(userID: ana.userID)
      var isTold = false
      while !isTold, let event = await events.next() {
        if case .changed(.relation) = event { isTold = true }
      }
      try await ana.friendsService.respondToFriendRequest(userID: ben.userID, accept: true)
      let others = try await ben.friendsRealtimeService.listen()
      while await events.next() != .changed(.presence(online: [ben.userID])) {}
      await ben.friendsRealtimeService.leave()
      while await events.next() != .changed(.presence(online: [])) {}
      await ana.friendsRealtimeService.leave()
      while await events.next() != nil {}
      withExtendedLifetime(others) {}
      await ana.client.realtime?.stop()
      await ben.client.realtime?.stop()
    }
  }

  @Test func `nobody listens without a server or a session`() async throws {
    await #expect(throws: NetworkError.notConfigured) {
      _ = try await FriendsRealtimeService(client: SupabaseClient()).listen()
    }
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await ana.authService.signOut()
      await #expect(throws: NetworkError.signedOut) {
        _ = try await ana.friendsRealtimeService.listen()
      }
    }
  }
}
