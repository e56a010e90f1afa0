import Foundation
import RallyState
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
struct ProfileEditorReducerTests {
  private func makeStore(_ service: ProfileService) -> Store<ProfileEditorReducer> {
    Store(
      initialState: ProfileEditorReducer.State(), environment: .init(profileService: service))
  }

  private func heldStore() -> Store<ProfileEditorReducer> {
    Store(
      initialState: ProfileEditorReducer.State(),
      environment: .init(profileService: ProfileService(client: SupabaseClient())),
      testContext: TestContext { Issue.record("\($0)") })
  }

  private func saved(_ username: String) -> LoadableValue<ProfileForm, DraftFailure> {
    var form = ProfileForm()
    form.username = username
    form.displayName = "Ana"
    return .loaded(LoadingSuccess(value: form, timestamp: .now))
  }

  @Test func `the form begins with what the server has`() async {
    let store = heldStore()
    await store.send(.open)
    #expect(store.saved.isLoading())
    store.setValue("typed too early", at: \.form.bio)
    store.testContext?.makeValueForAwaitingKeypath(for: \.saved, saved("ana")) { state in
      #expect(state.form.username == "ana")
      #expect(state.form.bio == "")
      #expect(state.isUntouched)
      #expect(!state.canUndo)
    }
  }

  @Test func `an answer that comes later changes nothing under typing hands`() async {
    let store = heldStore()
    await store.send(.open)
    store.testContext?.makeValueForAwaitingKeypath(for: \.saved, saved("ana"))
    store.setValue("Fog runner", at: \.form.bio)
    await store.send(.open)
    #expect(store.saved.value != nil)
    store.testContext?.makeValueForAwaitingKeypath(for: \.saved, saved("anna")) { state in
      #expect(state.form.username == "ana")
      #expect(state.form.bio == "Fog runner")
    }
    await store.send(.undo)
    #expect(store.form.bio == "")
    await store.send(.redo)
    #expect(store.form.bio == "Fog runner")
  }

  @Test func `problems show on their fields as one types`() async {
    let store = heldStore()
    await store.send(.open)
    store.testContext?.makeValueForAwaitingKeypath(for: \.saved, saved("ana"))
    store.setValue("a b", at: \.form.username)
    #expect(store.state.problem(on: .username) != nil)
    #expect(store.state.problem(on: .displayName) == nil)
    store.setValue(String(repeating: "x", count: 161), at: \.form.bio)
    #expect(store.state.problem(on: .bio)?.advice == "Use at most 160 characters.")
    #expect(!store.canSubmit)
  }

  @Test func `only what was changed is sent, and a taken name stands on its field`() async throws {
    try await TestServer.with { server in
      // given
      _ = try await TestPerson(signingUp: "ben", on: server)
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = makeStore(ana.profileService)
      await store.send(.open)
      #expect(store.form.username == "ana")
      // when
      store.setValue("Fog runner", at: \.form.bio)
      store.setValue("ben", at: \.form.username)
      await store.send(.submit)
      // then
      #expect(
        store.state.problem(on: .username)?.advice
          == "Somebody has this name already. Choose another.")
      #expect(store.state.firstProblemField == .username)
      store.setValue("ana.p", at: \.form.username)
      #expect(store.state.problem(on: .username) == nil)
      await store.send(.submit)
      #expect(store.submission.value == ana.userID)
      #expect(store.isUntouched)
      let profile = try await ana.profileService.fetchProfile(forceRefresh: true)
      #expect(profile?.username == "ana.p")
      #expect(profile?.bio == "Fog runner")
      let sent = ana.gate.bodies(of: "update_profile").compactMap {
        String(data: $0, encoding: .utf8)
      }
      #expect(sent.count == 2)
      #expect(!sent.contains { $0.contains("p_display_name") })
    }
  }

  @Test func `without a server the form says why`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      ana.gate.goOffline()
      let store = makeStore(ana.profileService)
      await store.send(.open)
      #expect(store.saved.failure?.sentence.hasPrefix("Server not reached") == true)
      ana.gate.goOffline(false)
      await store.send(.open)
      #expect(store.form.displayName == "Ana")
    }
  }
}
