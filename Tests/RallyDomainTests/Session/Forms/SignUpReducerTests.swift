import Foundation
import RallyState
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
struct SignUpReducerTests {
  private let studio = BroadcastStudio()

  private func makeStore(
    _ kind: ServerKind = .embedded, server: DraftServer = .accepting()
  ) -> Store<SignUpReducer> {
    Store(
      initialState: .init(serverKind: kind),
      environment: .init(
        authService: server.authService,
        serverHealthService: server.serverHealthService, broadcastStudio: studio))
  }

  private func fill(_ store: Store<SignUpReducer>) {
    store.setValue("ana", at: \.username)
    store.setValue("lantern", at: \.password)
    if store.serverKind == .remote { store.setValue("ana@example.org", at: \.email) }
  }

  // MARK: - Validation

  @Test func `the embedded server asks for a username and a password only`() async throws {
    let server = DraftServer.accepting()
    let store = makeStore(server: server)
    #expect(store.fields == [.username, .password])
    fill(store)
    #expect(store.canSubmit)
    await store.send(.submit)
    #expect(
      try server.bodies(SignUpBody.self)
        == [
          SignUpBody(
            email: "ana@rally.local", password: "lantern",
            data: SignUpData(username: "ana", displayName: "ana"))
        ])
  }

  @Test func `the derived address shows as soon as the username is right`() {
    let store = makeStore()
    store.setValue("an", at: \.username)
    #expect(store.derivedEmail == nil)
    store.setValue("Ana", at: \.username)
    #expect(store.derivedEmail == "ana@rally.local")
    store.setValue(.remote, at: \.serverKind)
    #expect(store.derivedEmail == nil)
  }

  @Test func `who came by a link types a username and a password, and brings the code`()
    async throws
  {
    let server = DraftServer.accepting()
    let store = Store<SignUpReducer>(
      initialState: .init(serverKind: .remote, invitation: try InvitationCode("7QK2MX9PTFH3W8RT")),
      environment: .init(
        authService: server.authService,
        serverHealthService: server.serverHealthService, broadcastStudio: studio))
    store.setValue(.invited, at: \.policy)
    #expect(store.fields == [.username, .password])
    store.setValue("ana", at: \.username)
    store.setValue("lantern", at: \.password)
    await store.send(.submit)
    #expect(
      try server.bodies(SignUpBody.self)
        == [
          SignUpBody(
            email: "ana@rally.local", password: "lantern",
            data: SignUpData(
              username: "ana", displayName: "ana", invitationCode: "7QK2MX9PTFH3W8RT"))
        ])
  }

  @Test func `a shared server asks for an address and takes a display name`() async throws {
    let server = DraftServer.accepting()
    let store = makeStore(.remote, server: server)
    #expect(store.fields == [.email, .username, .displayName, .password])
    store.setValue("ana", at: \.username)
    store.setValue("lantern", at: \.password)
    #expect(!store.canSubmit)
    store.setValue("Ana@Example.org", at: \.email)
    store.setValue("  Ana Pereira ", at: \.displayName)
    await store.send(.submit)
    #expect(
      try server.bodies(SignUpBody.self)
        == [
          SignUpBody(
            email: "ana@example.org", password: "lantern",
            data: SignUpData(username: "ana", displayName: "Ana Pereira"))
        ])
  }

  @Test func `every field says what to type instead`() {
    let store = makeStore(.remote)
    store.setValue("an", at: \.username)
    store.setValue("ana", at: \.email)
    store.setValue("short", at: \.password)
    store.setValue(String(repeating: "x", count: 41), at: \.displayName)
    #expect(store.state.problem(on: .username)?.advice == "Use at least 3 characters.")
    #expect(store.state.problem(on: .email)?.advice == "Write an address like ana@example.org.")
    #expect(store.state.problem(on: .password)?.advice == "Use at least 6 characters.")
    #expect(store.state.problem(on: .displayName)?.advice == "Use at most 40 characters.")
    #expect(store.state.firstProblemField == .email)
  }

  @Test func `a display name may stay empty`() {
    let store = makeStore(.remote)
    fill(store)
    store.setValue("x", at: \.displayName)
    store.setValue("", at: \.displayName)
    #expect(store.state.problem(on: .displayName) == nil)
    #expect(store.canSubmit)
  }

  @Test func `what the embedded server does not ask for is neither checked nor sent`() async throws
  {
    let server = DraftServer.accepting()
    let store = makeStore(.remote, server: server)
    fill(store)
    store.setValue("not an address", at: \.email)
    store.setValue("Ana Pereira", at: \.displayName)
    store.setValue(.embedded, at: \.serverKind)
    #expect(store.state.firstProblemField == nil)
    await store.send(.submit)
    #expect(try server.bodies(SignUpBody.self).map(\.email) == ["ana@rally.local"])
    #expect(store.email == "not an address")
  }

  // MARK: - Answers

  @Test func `success wipes the password and tells everybody`() async {
    let store = makeStore()
    fill(store)
    var messages = studio.messages(of: AccountChanged.self).makeAsyncIterator()
    await store.send(.submit)
    #expect(store.submission.value == DraftServer.userID)
    #expect(store.password.isEmpty)
    let message = await messages.next()
    #expect(message?.userID == DraftServer.userID)
    #expect(message?.originatingFrom === store)
  }

  @Test func `a taken username is said on its field and stays until that is typed in`() async {
    let store = makeStore(server: .refusing(.usernameTaken))
    fill(store)
    await store.send(.submit)
    #expect(store.state.problem(on: .username)?.advice == AuthError.usernameTaken.sentence)
    #expect(store.state.formProblem == nil)
    store.setValue("lanterns", at: \.password)
    #expect(store.state.problem(on: .username) != nil)
    store.setValue("ana2", at: \.username)
    #expect(store.state.problem(on: .username) == nil)
    #expect(store.password == "lanterns")
  }

  @Test func `a taken address is said on the address, or on the username it stands for`() async {
    let shared = makeStore(.remote, server: .refusing(.userAlreadyExists))
    fill(shared)
    await shared.send(.submit)
    #expect(shared.state.problem(on: .email)?.advice == AuthError.emailTaken.sentence)

    let embedded = makeStore(server: .refusing(.userAlreadyExists))
    fill(embedded)
    await embedded.send(.submit)
    #expect(embedded.state.problem(on: .username)?.advice == AuthError.usernameTaken.sentence)
  }

  @Test func `a refusal that belongs to no field is said on the form`() async {
    let store = makeStore(server: .refusing(.signupDisabled))
    fill(store)
    await store.send(.submit)
    #expect(store.state.formProblem == AuthError.signUpClosed.sentence)
    #expect(store.username == "ana")
    #expect(store.password == "lantern")
  }

  // MARK: - Who may sign up

  @Test func `a server that lets in by invitation has a code asked for, and gets it`() async throws
  {
    let server = DraftServer {
      try HTTPAnswer(status: 200, body: WireJSON.encode(AuthSettings(policy: .invited)))
    }
    let store = makeStore(.remote, server: server)
    await store.send(.fetchPolicy)
    #expect(store.fields == [.email, .username, .displayName, .password, .code])
    fill(store)
    #expect(!store.canSubmit)
    store.setValue("7QK2M-X9PT", at: \.code)
    #expect(store.state.check(.code) != nil)
    store.setValue("7qk2m-x9ptf", at: \.code)
    #expect(store.canSubmit)
    await store.send(.submit)
    #expect(try server.bodies(SignUpBody.self).last?.data?.invitationCode == "7QK2MX9PTF")
  }

  @Test func `a refusal for want of a code brings its field, and nothing typed is lost`()
    async throws
  {
    let server = DraftServer {
      try HTTPAnswer(
        status: 422, headers: [AuthFailure.versionHeader.lowercased(): AuthFailure.version],
        body: WireJSON.encode(
          AuthFailure(.signupDisabled, "Signups are by invitation: ask a member for a code")))
    }
    let store = makeStore(.remote, server: server)
    fill(store)
    await store.send(.submit)
    #expect(store.fields.last == .code)
    #expect(store.state.firstProblemField == .code)
    #expect(store.username == "ana")
  }

  @Test func `without an answer the form stays as it is`() async {
    let store = makeStore(.remote, server: .unreachable())
    await store.send(.fetchPolicy)
    #expect(store.policy == .open)
    #expect(store.fields == [.email, .username, .displayName, .password])
  }
}
