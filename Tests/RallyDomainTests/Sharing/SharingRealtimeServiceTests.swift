import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct SharingRealtimeServiceTests {
  @Test func `what another terminal of mine decides for a friend is told`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await ben.friendsService.requestFriend(userID: ana.userID)
      try await ana.friendsService.respondToFriendRequest(userID: ben.userID, accept: true)
      let service = SharingRealtimeService(client: ana.client)
      var events = try await service.listen().makeAsyncIterator()
      while let event = await events.next(), event != .live {}
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: .precise)
      while let event = await events.next(), event != .changed(.settings) {}
      await service.leave()
      while await events.next() != nil {}
      await ana.client.realtime?.stop()
    }
  }

  @Test func `nobody listens without a server`() async {
    await #expect(throws: NetworkError.notConfigured) {
      _ = try await SharingRealtimeService(client: SupabaseClient()).listen()
    }
  }
}
