import Foundation
import RallyState
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// A session runs without a screen.
@MainActor
@Suite struct RunningSessionTests {
  /// 60 s of a walk to the north-east of Ghent.
  private static let walk = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sharing/GPSD/walk.nmea").path

  /// A session of a new person, as the program restores it.
  private func session(
    _ username: String, on server: TestServer, in folder: TemporaryFolder,
    sources: [LocationSource] = []
  ) async throws -> RallySession {
    let choice = ServerChoice.remote(try ServerURL(server.url), key: server.key)
    let folders = try RallyFolders(data: folder.path, environment: [:])
    let session = RallySession(
      server: choice, folders: folders, runtimePolicyCoordinator: RuntimePolicyCoordinator()
    ) {
      AppServices(
        folders: folders, server: $0, locationSources: sources,
        broadcastStudio: BroadcastStudio())
    }
    try await session.services.authService.signUp(
      email: "\(username)@example.org", password: Samples.password, username: username,
      displayName: nil)
    await session.restore()
    return session
  }

  /// Runs the session while `body` does.
  private func run(
    _ session: RallySession,
    _ body: (RunningSession, SharedStores) async throws -> Void
  ) async throws {
    let stores = try #require(session.stores)
    let running = RunningSession(session, stores)
    let task = Task { await running.run() }
    do {
      try await body(running, stores)
    } catch {
      task.cancel()
      throw error
    }
    task.cancel()
    await task.value
    await session.close()
  }

  private func befriend(_ one: RallySession, _ other: TestPerson) async throws {
    let id = try #require(await one.services.authService.currentUserID)
    try await other.friendsService.requestFriend(userID: id)
    try await one.services.friendsService.respondToFriendRequest(
      userID: other.userID, accept: true)
  }

  @Test func `what a real gpsd reports reaches a friend, and there is no terminal`() async throws {
    let gpsd = try await GPSDServer(Self.walk)
    let address = try #require(GPSDAddress("127.0.0.1:\(gpsd.port)"))
    try await TestServer.with { server in
      let folder = try TemporaryFolder()
      let ana = try await session("ana", on: server, in: folder, sources: [.gpsd(at: address)])
      let bob = try await TestPerson(signingUp: "bob", on: server)
      try await befriend(ana, bob)
      try await ana.services.locationsService.setLocationSharing(
        userID: bob.userID, mode: .precise)
      try await run(ana) { _, _ in
        #expect(
          await eventually {
            let rows = try? await bob.locationsService.fetchFriendLocations()
            guard let place = rows?.first?.coordinate else { return false }
            return place.distance(to: Samples.coordinate(51.053, 3.725)) < 2000
          })
      }
    }
    try await gpsd.end()
  }

  @Test func `the start is traced as it is with a screen, and so is each change`() async throws {
    try await TestServer.with { server in
      let ana = try await session("ana", on: server, in: TemporaryFolder())
      try await run(ana) { running, stores in
        let coordinator = ana.services.syncCoordinator
        @MainActor func trace(from first: Int = 0) -> [String] {
          coordinator.trace.dropFirst(first).map { "\($0.directive): \($0.cause)" }
        }
        #expect(await eventually { coordinator.trace.count == 5 && stores.social.asOf != nil })
        #expect(
          trace() == [
            "join realtime: start", "stop polling: start", "join map realtime: start",
            "pace map every 15 s: start", "refresh (start): start",
          ])
        ana.runtimePolicyCoordinator.isLowPowerModeEnabled = true
        #expect(await eventually { coordinator.trace.count == 9 })
        running.foregroundChanged(false)
        running.foregroundChanged(true)
        running.focusChanged(false)
        #expect(
          trace(from: 5) == [
            "leave realtime: policy changed", "poll every 45 s: policy changed",
            "leave map realtime: policy changed", "pace map every 45 s: policy changed",
            "save state: background", "check link: foreground", "refresh (foreground): foreground",
            "save state: focus lost",
          ])
      }
    }
  }

  @Test func `what is directed reaches each store that has a use for it`() async throws {
    try await TestServer.with { server in
      let ana = try await session("ana", on: server, in: TemporaryFolder())
      try await run(ana) { running, stores in
        let lists: [StoreStatus] = [
          stores.social.synchronizer, stores.locationSharing.synchronizer,
          stores.missions.synchronizer,
        ]
        // The session shows its own tab once it runs.
        #expect(await eventually { lists.allSatisfy { $0.hasFetched } })
        running.tabChanged(to: .missions)
        #expect(
          await eventually {
            lists.allSatisfy { $0.isLive && $0.hasFetched && $0.pace == nil }
              && stores.map.synchronizer.isLive && stores.map.synchronizer.hasFetched
          })
        ana.runtimePolicyCoordinator.isLowPowerModeEnabled = true
        #expect(await eventually { lists.allSatisfy { !$0.isLive && $0.pace == .seconds(45) } })
        #expect(await eventually { !stores.map.synchronizer.isLive })
        running.tabChanged(to: .map)
        #expect(stores.map.synchronizer.pace == .seconds(45))
        #expect(stores.missions.synchronizer.pace == nil)
      }
    }
  }

  @Test func `a request is said once, and announced to somebody who looks elsewhere`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await session("ana", on: server, in: TemporaryFolder())
      let bob = try await TestPerson(signingUp: "bob", on: server)
      let id = try #require(await ana.services.authService.currentUserID)
      try await run(ana) { running, stores in
        var news = running.news().makeAsyncIterator()
        #expect(await eventually { stores.social.asOf != nil })
        running.focusChanged(false)
        try await bob.friendsService.requestFriend(userID: id)
        guard case .information("@bob wants to be friends.") = await news.next() else {
          return #expect(Bool(false), "the sentence")
        }
        guard case .announcement(let announcement, by: .auto) = await news.next() else {
          return #expect(Bool(false), "the announcement")
        }
        #expect(announcement.text == "@bob wants to be friends.")
      }
    }
  }

  @Test func `what somebody waited for and failed is said once, and taken from the store`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await session("ana", on: server, in: TemporaryFolder())
      try await run(ana) { running, stores in
        var news = running.news().makeAsyncIterator()
        #expect(await eventually { stores.map.asOf != nil })
        stores.map.presentedError = CommunityViewError(
          title: "No", description: "It failed.", technicalDetails: "")
        guard case .failure(let error) = await news.next() else {
          return #expect(Bool(false), "the failure")
        }
        #expect(error.sentence == "No. It failed.")
        #expect(stores.map.presentedError == nil)
      }
    }
  }

  @Test func `the tab says which store somebody looks at`() async throws {
    try await TestServer.with { server in
      let ana = try await session("ana", on: server, in: TemporaryFolder())
      try await run(ana) { running, stores in
        #expect(await eventually { stores.missions.asOf != nil })
        running.tabChanged(to: .missions)
        #expect(stores.missions.synchronizer.isVisible)
        running.tabChanged(to: .map)
        #expect(!stores.missions.synchronizer.isVisible && stores.map.synchronizer.isVisible)
      }
    }
  }
}
