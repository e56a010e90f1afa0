import Foundation
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyDomain

@Suite struct ProfileServiceTests {
  @Test func `a profile is kept for 300 seconds unless it is asked for anew`() async throws {
    try await TestServer.with { server in
      // given
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let time = Mutex(ContinuousClock.now)
      let service = ProfileService(client: ana.client, clock: { time.withLock { $0 } })
      // then
      #expect(try await service.fetchProfile()?.username == "ana")
      time.withLock { $0 += .seconds(299) }
      _ = try await service.profiles(for: [ana.userID])
      #expect(ana.gate.calls(of: "fetch_profiles") == 1)
      _ = try await service.profiles(for: [ana.userID], forceRefresh: true)
      #expect(ana.gate.calls(of: "fetch_profiles") == 2)
      time.withLock { $0 += .seconds(300) }
      _ = try await service.profiles(for: [ana.userID])
      #expect(ana.gate.calls(of: "fetch_profiles") == 3)
      service.clearCache()
      _ = try await service.profiles(for: [ana.userID])
      #expect(ana.gate.calls(of: "fetch_profiles") == 4)
    }
  }

  @Test func `a changed profile is what is shown from then on`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      _ = try await ana.profileService.fetchProfile()
      try await ana.profileService.updateProfile(displayName: "  Ana P.  ", bio: "Fog runner")
      let own = try await ana.profileService.fetchProfile()
      #expect(own?.displayName == "Ana P.")
      #expect(own?.bio == "Fog runner")
      #expect(ana.gate.calls(of: "fetch_profiles") == 1)
    }
  }

  @Test func `text that cannot be accepted is not sent`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      await #expect(throws: FieldProblem.self) {
        try await ana.profileService.updateProfile(
          bio: String(repeating: "x", count: TextLimits.bio.clusters + 1))
      }
      #expect(ana.gate.calls(of: "update_profile") == 0)
    }
  }

  @Test func `profiles come in the order asked for, without who is hidden from me`() async throws {
    try await TestServer.with { server in
      // given
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let cleo = try await TestPerson(signingUp: "cleo", on: server)
      try await cleo.friendsService.blockUser(userID: ana.userID)
      _ = try await ana.profileService.fetchProfile()
      // when
      let found = try await ana.profileService.profiles(
        for: [ben.userID, cleo.userID, UUID(), ana.userID])
      let again = try await ana.profileService.profiles(for: [ana.userID, ben.userID])
      // then
      #expect(found.map(\.username) == ["ben", "ana"])
      #expect(again.map(\.username) == ["ana", "ben"])
      #expect(ana.gate.calls(of: "fetch_profiles") == 2)
    }
  }
}
