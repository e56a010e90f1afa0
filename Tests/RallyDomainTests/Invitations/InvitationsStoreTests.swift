import Foundation
import RallyState
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@MainActor
@Suite struct InvitationsStoreTests {
  /// Ana has a code; Ben has a store.
  private struct Pair {
    let ana: TestPerson
    let ben: TestPerson
    let invitation: InvitationRecord
    let store: InvitationsStore

    @MainActor
    init(on server: TestServer) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      ben = try await TestPerson(signingUp: "ben", on: server)
      invitation = try await InvitationsService(client: ana.client).createInvitation()
      store = InvitationsStore(invitationsService: InvitationsService(client: ben.client))
    }

    @MainActor var offer: InvitationOffer? {
      if case .offered(let offer) = store.phase { offer } else { nil }
    }
  }

  // MARK: - Invitation

  @Test func `a code is read, offered and accepted once`() async throws {
    try await TestServer.with { server in
      // given
      let pair = try await Pair(on: server)
      #expect(await pair.store.accept().value == nil)
      // when
      await pair.store.open(pair.invitation.code)
      // then
      #expect(pair.offer?.inviter.username == "ana")
      #expect(try await pair.ben.friendsService.fetchFriends().isEmpty)
      // when
      pair.ben.gate.hold("accept_invitation")
      let accepting = Task { await pair.store.accept() }
      #expect(await pair.ben.gate.isHeld("accept_invitation"))
      guard case .notStarted = await pair.store.accept() else {
        Issue.record("accepted twice")
        return
      }
      // A running acceptance is not given up for another code.
      let running = pair.store.phase
      await pair.store.open(try InvitationCode("0000000000"))
      #expect(pair.store.phase == running)
      pair.ben.gate.release("accept_invitation")
      // then
      #expect(await accepting.value.value?.friend?.username == "ana")
      #expect(pair.store.phase == .idle)
      #expect(pair.ben.gate.calls(of: "accept_invitation") == 1)
    }
  }

  @Test func `a refusal is final, a lost response is retried with the same client id`() async throws
  {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      await pair.store.open(try InvitationCode("0000000000"))
      guard case .refused(_, canRetry: false) = pair.store.phase else {
        Issue.record("\(pair.store.phase)")
        return
      }
      let refused = pair.store.phase
      await pair.store.retry()
      #expect(pair.store.phase == refused)
      // when
      await pair.store.open(pair.invitation.code)
      pair.ben.gate.loseAnswer("accept_invitation", times: 2)
      guard case .refused(let error) = await pair.store.accept() else {
        Issue.record("a lost response was taken for an answer")
        return
      }
      // then
      #expect(pair.store.phase == .refused(error.description, canRetry: true))
      await pair.store.retry()
      // It had counted.
      #expect(pair.offer?.isAccepted == true)
      let ids = try pair.ben.gate.bodies(of: "accept_invitation").map {
        try WireJSON.decode(FunctionCall<AcceptInvitation>.self, from: $0).clientID
      }
      #expect(Set(ids).count == 1)
    }
  }

  @Test func `the response to a code that nobody waits for changes nothing`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      pair.ben.gate.hold("fetch_invitation")
      let reading = Task { await pair.store.open(pair.invitation.code) }
      #expect(await pair.ben.gate.isHeld("fetch_invitation"))
      pair.store.dismiss()
      pair.ben.gate.release("fetch_invitation")
      await reading.value
      #expect(pair.store.phase == .idle)
    }
  }

  @Test func `the end of the session is no refusal`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      try await pair.ben.authService.signOut()
      await pair.store.open(pair.invitation.code)
      #expect(pair.store.phase == .idle)
    }
  }

  // MARK: - My codes

  @Test func `a code that is asked for while the others are fetched comes after them`() async throws
  {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = InvitationsStore(invitationsService: InvitationsService(client: pair.ana.client))
      let made = pair.ana.gate.calls(of: "create_invitation")
      pair.ana.gate.hold("fetch_invitations")
      let fetching = Task { await store.fetchCodes() }
      #expect(await eventually { pair.ana.gate.calls(of: "fetch_invitations") == 1 })
      let making = Task { await store.createCode() }
      #expect(await eventually { store.isChanging })
      // A second key makes no second code.
      #expect(await !store.createCode().isDone)
      #expect(pair.ana.gate.calls(of: "create_invitation") == made)
      pair.ana.gate.release("fetch_invitations")
      await fetching.value
      let code = try #require(await making.value.value)
      #expect(store.codes.map(\.code) == [code.code, pair.invitation.code])
      #expect(!store.isChanging)
    }
  }

  @Test func `codes are fetched, created and revoked, and a failure keeps them`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = InvitationsStore(invitationsService: InvitationsService(client: pair.ana.client))
      #expect(store.isBusy)
      await store.fetchCodes()
      #expect(store.codes.map(\.code) == [pair.invitation.code])
      #expect(!store.isBusy)
      let second = try #require(await store.createCode().value)
      #expect(store.codes.map(\.code) == [second.code, pair.invitation.code])
      #expect(await store.revoke(second).isDone)
      #expect(store.codes.map(\.code) == [pair.invitation.code])
      pair.ana.gate.goOffline()
      #expect(await !store.revoke(pair.invitation).isDone)
      #expect(store.codes.map(\.code) == [pair.invitation.code])
      #expect(store.loadState == .loaded)
      #expect(store.presentedError?.isOffline == true)
      await store.fetchCodes()
      #expect(store.loadState.failure != nil)
      #expect(store.codes.map(\.code) == [pair.invitation.code])
    }
  }

  // MARK: - Codes of missions

  @Test func `a mission's code is made once, and one for a mission that was left is dropped`()
    async throws
  {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = InvitationsStore(invitationsService: InvitationsService(client: pair.ana.client))
      let mission = try await pair.ana.missionsService.createMission(
        CreateMission(
          title: "Lanterns", centre: Samples.lisbon, radiusMetres: 50))
      store.openMissionCode(for: mission.id)
      #expect(store.missionCode.isIdle)
      let made = pair.ana.gate.calls(of: "create_invitation")

      pair.ana.gate.hold("create_invitation")
      let making = Task { await store.createCode(forMission: mission.id) }
      #expect(await pair.ana.gate.isHeld("create_invitation"))
      #expect(store.missionCode.isLoading())
      #expect(await !store.createCode(forMission: mission.id).isDone)
      store.openMissionCode(for: UUID())
      pair.ana.gate.release("create_invitation")
      #expect(await making.value.isDone)
      #expect(store.missionCode.isIdle)
      #expect(pair.ana.gate.calls(of: "create_invitation") == made + 1)

      store.openMissionCode(for: mission.id)
      let code = try #require(await store.createCode(forMission: mission.id).value)
      #expect(store.missionCode.value == code)
      #expect(store.codes.isEmpty)

      pair.ana.gate.goOffline()
      #expect(await !store.createCode(forMission: mission.id).isDone)
      #expect(store.missionCode.failure?.isOffline == true)
      #expect(store.presentedError == nil)
    }
  }
}
