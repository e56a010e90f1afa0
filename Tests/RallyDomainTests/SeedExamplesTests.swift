import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// The example lines of the documents that services, stores and coordinators were made from, in
/// their own words; those about reducers are in `RallyStateTests`.
@MainActor
@Suite struct SeedExamplesTests {
  @Test func `a service is asked for a page, and the store for everything`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      for name in ["ben", "carla", "dora"] {
        let friend = try await TestPerson(signingUp: name, on: server)
        try await friend.friendsService.requestFriend(userID: ana.userID)
        try await ana.friendsService.respondToFriendRequest(userID: friend.userID, accept: true)
      }
      let (friendsService, socialStore) = (ana.friendsService, ana.makeSocialStore())
      let friends = try await friendsService.fetchFriends(limit: 25, offset: 0)
      #expect(friends.count == 3)
      await socialStore.refreshAll(mode: .initial, query: "", searchScope: .all)
      #expect(socialStore.loadState == .loaded)
      #expect(socialStore.filteredFriends(query: "CAR").map(\.username) == ["carla"])
      #expect(socialStore.filteredFriends(query: "").count == 3)
      #expect(socialStore.filteredFriends(query: "", limit: 2).count == 2)
      await socialStore.runPeopleSearchIfNeeded(query: "dor", searchScope: .all)
      #expect(socialStore.peopleResults.map(\.username) == ["dora"])
      let profile = try #require(socialStore.friends.first)
      await socialStore.unfriend(profile)
      #expect(socialStore.friends.count == 2)
    }
  }

  @Test func `signals make a level, and the level a policy`() {
    let coordinator = RuntimePolicyCoordinator()
    #expect(coordinator.shouldEnableSocialRealtime)
    coordinator.isLowPowerModeEnabled = true
    #expect(coordinator.policyLevel == .constrained)
    #expect(coordinator.mapSyncInterval == .seconds(45))
    coordinator.thermalState = .serious
    #expect(coordinator.policyLevel == .critical)
    #expect(!coordinator.shouldEnableMapRealtime)
  }

  @Test func `a service signs in, and knows who is`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let authService = ana.authService
      try await authService.signOut()
      #expect(await authService.currentUserID == nil)
      try await authService.signIn(email: "ana@example.org", password: Samples.password)
      #expect(await authService.currentUserID == ana.userID)
    }
  }

  @Test func `values are saved, retrieved and deleted by key`() async throws {
    let folder = try TemporaryFolder()
    let persistenceService = PersistenceService(folder: folder.file("state"))
    try await persistenceService.save(["ana"], withKey: "friends")
    let kept: [String]? = try await persistenceService.retrieve(withKey: "friends")
    #expect(kept == ["ana"])
    try await persistenceService.delete(withKey: "friends")
    let gone: [String]? = try await persistenceService.retrieve(withKey: "friends")
    #expect(gone == nil)
  }

  @Test func `a store takes its services in its initialiser, and shared ones by default`()
    async throws
  {
    #expect(SSHKeysStore(server: .embedded).loadState == .loading)
    #expect(CalendarStore(server: .embedded).loadState == .loading)
    #expect(PhonesStore(server: .embedded).loadState == .loading)
    #expect(SocialStore().loadState == .loading)
    #expect(InvitationsStore().loadState == .loading)
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let calendarStore = CalendarStore(
        calendarService: CalendarService(client: ana.client), server: .embedded)
      ana.gate.fail("fetch_calendar_address", with: .connectionLost)
      await calendarStore.fetchAddress()
      #expect(calendarStore.loadState.failure != nil)
      ana.gate.release("fetch_calendar_address")
    }
  }
}
