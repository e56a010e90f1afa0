import Foundation
import RallyEnvironment
import RallyState
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct AppServicesTests {
  private func services(
    _ server: TestServer, in folder: TemporaryFolder, profile: String? = nil,
    broadcastStudio: BroadcastStudio = BroadcastStudio(), gate: TransportGate = TransportGate()
  ) throws -> AppServices {
    AppServices(
      folders: try RallyFolders(
        data: folder.file("data"), profile: profile, environment: folder.environment),
      server: .remote(try ServerURL(server.url), key: server.key),
      broadcastStudio: broadcastStudio, transport: gate.transport)
  }

  @Test func `it starts once, and connects whoever is signed in`() async throws {
    try await TestServer.with { server in
      let folder = try TemporaryFolder()
      let gate = TransportGate()
      let services = try services(server, in: folder, gate: gate)
      try await services.authService.signUp(
        email: "ana@example.org", password: Samples.password, username: "ana")
      #expect(gate.openedSockets == 0)
      await services.start { SyncPreferences(shouldEnableSocialRealtime: false) }
      await services.start { SyncPreferences() }
      #expect(await eventually { services.linkService.state == .polling })
      #expect(gate.openedSockets == 1)
      #expect(services.syncCoordinator.trace.map(\.directive).first == "leave realtime")
      await services.stop()
      let trace = try await SyncTraceService(folders: services.folders).entries()
      #expect(trace == services.syncCoordinator.trace)
    }
  }

  @Test func `a policy that changes while the session is restored counts from the start`()
    async throws
  {
    try await TestServer.with { server in
      let folder = try TemporaryFolder()
      let services = try services(server, in: folder)
      var preferences = SyncPreferences()
      // Runs while `start` waits for the session, as a signal of the device does.
      let change = Task { preferences = SyncPreferences(shouldEnableSocialRealtime: false) }
      await services.start { preferences }
      await change.value
      #expect(services.syncCoordinator.trace.map(\.directive).first == "leave realtime")
      #expect(!services.syncCoordinator.isRealtimeOn)
      await services.stop()
    }
  }

  @Test func `profiles on one server do not see each other's sessions`() async throws {
    try await TestServer.with { server in
      let folder = try TemporaryFolder()
      let home = try services(server, in: folder)
      let work = try services(server, in: folder, profile: "work")
      try await home.authService.signUp(
        email: "ana@example.org", password: Samples.password, username: "ana")
      #expect(await work.authService.currentUserID == nil)
      #expect(try await services(server, in: folder).authService.currentUserID != nil)
    }
  }

  @Test func `the link goes live with the channels and offline with the network`() async throws {
    try await TestServer.with { server in
      let folder = try TemporaryFolder()
      let gate = TransportGate()
      let services = try services(server, in: folder, gate: gate)
      try await services.authService.signUp(
        email: "ana@example.org", password: Samples.password, username: "ana")
      let store = services.makeSocialStore()
      await services.start { SyncPreferences() }
      store.startFriendshipsRealtimeListener()
      #expect(await eventually { services.linkService.state == .live })
      gate.goOffline()
      #expect(await eventually { services.linkService.state.isOffline })
      gate.goOffline(false)
      await services.linkService.retryNow()
      #expect(await eventually { services.linkService.state == .live })
      store.stopFriendshipsRealtimeListener()
      await services.stop()
    }
  }

  @Test func `a session that the server ended is broadcast, and the link closed`() async throws {
    try await TestServer.with { server in
      // given: two programs of one session
      let folder = try TemporaryFolder()
      let studio = BroadcastStudio()
      let services = try services(server, in: folder, broadcastStudio: studio)
      let session = try await services.authService.signUp(
        email: "ana@example.org", password: Samples.password, username: "ana")
      let store = services.makeSocialStore()
      var messages = studio.messages(of: SessionEnded.self).makeAsyncIterator()
      await services.start { SyncPreferences() }
      store.startFriendshipsRealtimeListener()
      #expect(await eventually { services.linkService.state == .live })
      // when: the other one signs out
      try await self.services(server, in: folder).authService.signOut()
      // then
      #expect(await messages.next()?.userID == session.user.id)
      #expect(await eventually { services.linkService.state == .signedOut })
      #expect(store.presentedError == nil)
      await services.stop()
    }
  }

  @Test func `an embedded server that cannot start is said in its own words`() async throws {
    let folder = try TemporaryFolder()
    let services = AppServices(
      folders: try RallyFolders(data: folder.file("data"), environment: folder.environment),
      server: .embedded, executable: folder.file("missing"),
      broadcastStudio: BroadcastStudio())
    let reason = EmbeddedServerError.notStarted("\(folder.file("missing")) is not a program")
    let failure = await #expect(throws: AuthError.network(.embedded(reason))) {
      try await services.authService.signIn(email: "a@b.example", password: "secret1")
    }
    #expect(failure?.sentence == reason.sentence)
  }

  @Test func `its environment carries its services`() async throws {
    try await TestServer.with { server in
      let services = try services(server, in: try TemporaryFolder())
      var values = EnvironmentValues()
      services.supply(to: &values)
      #expect(values.authService === services.authService)
      #expect(values.linkService === services.linkService)
      #expect(values.navigationService === services.navigationService)
      #expect(values.syncCoordinator === services.syncCoordinator)
    }
  }

  @Test func `signing out leaves no position of anybody on this machine`() async throws {
    try await TestServer.with { server in
      let folder = try TemporaryFolder()
      let services = try services(server, in: folder)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let session = try await services.authService.signUp(
        email: "ana@example.org", password: Samples.password, username: "ana")
      try await services.friendsService.requestFriend(userID: ben.userID)
      try await ben.friendsService.respondToFriendRequest(userID: session.user.id, accept: true)
      try await ben.locationsService.setLocationSharing(userID: nil, mode: .precise)
      try await ben.locationsService.publishLocations([
        LocationReport(coordinate: Samples.porto, recordedAt: .now, source: "manual")
      ])
      let map = services.makeMapStore()
      let sharing = services.makeLocationSharingStore()
      await map.refreshAll(mode: .initial)
      await sharing.refreshAll(mode: .initial)
      await sharing.setSharing(.approximate10km, for: nil)
      #expect(await sharing.setHere("38.7223,-9.1393").isDone)
      await sharing.goGhost()
      await map.saveState()
      await sharing.saveState()
      let traces = ["38.7", "41.1", ben.userID.wireText, "isGhost"]
      #expect(try found(traces, below: folder.file("data")) == Set(traces))
      try await services.accountMaintenanceService.signOut()
      #expect(try found(traces, below: folder.file("data")).isEmpty)
      #expect(services.currentLocationProvider.fix == nil)
    }
  }

  @Test func `a ghost that is pending outlives signing out, and goes out after the next sign-in`()
    async throws
  {
    try await TestServer.with { server in
      // given
      let folder = try TemporaryFolder()
      let gate = TransportGate()
      let services = try services(server, in: folder, gate: gate)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let session = try await services.authService.signUp(
        email: "ana@example.org", password: Samples.password, username: "ana")
      try await services.friendsService.requestFriend(userID: ben.userID)
      try await ben.friendsService.respondToFriendRequest(userID: session.user.id, accept: true)
      let sharing = services.makeLocationSharingStore()
      await sharing.refreshAll(mode: .initial)
      await sharing.setSharing(.precise, for: nil)
      #expect(await sharing.setHere("38.7223,-9.1393").isDone)
      #expect(try await ben.locationsService.fetchFriendLocations().count == 1)
      // when
      gate.goOffline()
      await sharing.goGhost()
      await #expect(throws: SignOutProblem.ghostPending) {
        try await services.accountMaintenanceService.signOut()
      }
      #expect(await services.authService.currentUserID == nil)
      #expect(services.currentLocationProvider.fix == nil)
      // then
      gate.goOffline(false)
      let next = try self.services(server, in: folder)
      _ = try await next.authService.signIn(
        email: "ana@example.org", password: Samples.password)
      let later = next.makeLocationSharingStore()
      await later.restoreFromCache()
      await later.refreshAll(mode: .initial)
      #expect(later.sharingSentence == "ghost")
      #expect(try await ben.locationsService.fetchFriendLocations().isEmpty)
    }
  }

  @Test func `signing out leaves no mission and no check-in on this machine`() async throws {
    try await TestServer.with { server in
      let folder = try TemporaryFolder()
      let gate = TransportGate()
      let services = try services(server, in: folder, gate: gate)
      _ = try await services.authService.signUp(
        email: "ana@example.org", password: Samples.password, username: "ana")
      let mission = try await services.missionsService.createMission(
        CreateMission(
          title: "Lanterns", centre: Samples.porto, radiusMetres: 50,
          objectives: [ObjectiveInput(title: "Blue door")]))
      try await services.currentLocationProvider.setManual(Samples.porto)
      let missions = services.makeMissionsStore()
      await missions.refreshAll(mode: .initial)
      gate.goOffline()
      await missions.checkIn(mission.objectives[0].id, of: mission.id)
      #expect(missions.pendingCheckIns.map(\.status) == [.queued])
      await missions.saveState()
      let traces = ["Lanterns", "Blue door", "41.1", mission.id.wireText]
      #expect(try found(traces, below: folder.file("data")) == Set(traces))
      await #expect(throws: SignOutProblem.sessionLeft) {
        try await services.accountMaintenanceService.signOut()
      }
      #expect(try found(traces, below: folder.file("data")).isEmpty)
    }
  }

  /// Which of these texts stand in some file of this folder.
  private func found(_ texts: [String], below folder: String) throws -> Set<String> {
    var found: Set<String> = []
    for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { continue }
      let content = String(decoding: data, as: UTF8.self)
      for text in texts where content.contains(text) { found.insert(text) }
    }
    return found
  }
}
