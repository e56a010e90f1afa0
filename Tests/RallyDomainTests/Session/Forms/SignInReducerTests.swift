import Foundation
import RallyState
import RallyWire
import RallyTestSupport
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
struct SignInReducerTests {
  private let studio = BroadcastStudio()

  private func makeStore(
    _ kind: ServerKind = .embedded, login: String = "", password: String = "",
    server: DraftServer = .accepting()
  ) -> Store<SignInReducer> {
    let store = Store<SignInReducer>(
      initialState: .init(serverKind: kind),
      environment: .init(
        authService: server.authService,
        serverHealthService: server.serverHealthService, broadcastStudio: studio))
    store.setValue(login, at: \.login)
    store.setValue(password, at: \.password)
    return store
  }

  // MARK: - Validation

  @Test func `an untouched form shows no problem and cannot be submitted`() {
    let store = makeStore()
    #expect(store.state.firstProblemField == nil)
    #expect(!store.canSubmit)
  }

  @Test func `a problem shows while its field is typed in and goes with its cause`() {
    let store = makeStore()
    store.setValue("ana!", at: \.login)
    #expect(store.state.problem(on: .username)?.advice == "Use a–z, 0–9, _ or . instead of “!”.")
    #expect(store.state.problem(on: .password) == nil)
    store.setValue("ana", at: \.login)
    #expect(store.state.problem(on: .username) == nil)
  }

  @Test func `a submit of an empty form shows every problem and sends nothing`() async throws {
    let server = DraftServer.accepting()
    let store = makeStore(server: server)
    await store.send(.submit)
    #expect(store.state.problem(on: .username) != nil)
    #expect(store.state.problem(on: .password)?.advice == "Type your password.")
    #expect(store.state.firstProblemField == .username)
    #expect(store.submission == .idle)
    #expect(try server.bodies(PasswordGrantBody.self).isEmpty)
  }

  @Test(arguments: [
    ("ana", "ana@rally.local"), ("@Ana", "ana@rally.local"),
    (" Ana@Example.org ", "ana@example.org"), ("ana@rally.local", "ana@rally.local"),
  ])
  func `on the embedded server a username stands for its address`(
    _ login: String, _ email: String
  ) async throws {
    let server = DraftServer.accepting()
    await makeStore(login: login, password: "lantern", server: server).send(.submit)
    #expect(
      try server.bodies(PasswordGrantBody.self)
        == [PasswordGrantBody(email: email, password: "lantern")])
  }

  @Test func `on a shared server a username stands for the address of who came by a link`()
    async throws
  {
    let server = DraftServer.accepting()
    let store = makeStore(.remote, login: "ana@", password: "lantern", server: server)
    #expect(store.fields == [.email, .password])
    #expect(
      store.state.problem(on: .email)?.advice == "Write an address like ana@example.org.")
    #expect(!store.canSubmit)
    store.setValue("ana", at: \.login)
    await store.send(.submit)
    #expect(
      try server.bodies(PasswordGrantBody.self)
        == [PasswordGrantBody(email: "ana@rally.local", password: "lantern")])
  }

  @Test func `choosing another server keeps what was typed`() {
    let store = makeStore(login: "ana", password: "lantern")
    store.setValue(.remote, at: \.serverKind)
    #expect(store.login == "ana")
    #expect(store.password == "lantern")
    #expect(store.state.problem(on: .email) == nil)
  }

  // MARK: - Answers

  @Test func `success wipes the password, keeps the name and tells everybody`() async {
    let store = makeStore(login: "ana", password: "lantern")
    var messages = studio.messages(of: AccountChanged.self).makeAsyncIterator()
    await store.send(.submit)
    #expect(store.submission.value == DraftServer.userID)
    #expect(store.password.isEmpty)
    #expect(store.login == "ana")
    #expect(store.state.firstProblemField == nil)
    let message = await messages.next()
    #expect(message?.userID == DraftServer.userID)
    #expect(message?.originatingFrom === store)
  }

  @Test func `wrong credentials belong to the form and nothing typed is lost`() async {
    let store = makeStore(
      login: "ana", password: "lantern", server: .refusing(.invalidCredentials, status: 400))
    await store.send(.submit)
    #expect(store.state.formProblem == AuthError.invalidCredentials.sentence)
    #expect(store.state.firstProblemField == nil)
    #expect(store.login == "ana")
    #expect(store.password == "lantern")
    #expect(store.canSubmit)
  }

  @Test func `typing takes an old refusal off the form`() async {
    let store = makeStore(
      login: "ana", password: "lantern", server: .refusing(.invalidCredentials, status: 400))
    await store.send(.submit)
    store.setValue("lanterns", at: \.password)
    #expect(store.state.formProblem == nil)
    #expect(store.submission == .idle)
  }

  @Test func `a server that is not reached is said on the form`() async {
    let store = makeStore(login: "ana", password: "lantern", server: .unreachable())
    await store.send(.submit)
    #expect(
      store.state.formProblem
        == "Server not reached (Connection refused). Check the network, then try again.")
  }

  // MARK: - In between

  @Test func `while an answer is awaited a second submit is ignored`() async throws {
    let gate = AsyncStream.makeStream(of: Void.self)
    let server = DraftServer {
      for await _ in gate.stream { break }
      throw NetworkError.timedOut
    }
    let store = makeStore(login: "ana", password: "lantern", server: server)
    let signingIn = Task { await store.send(.submit) }
    #expect(await eventually { store.submission.isLoading() })
    #expect(!store.canSubmit)
    await store.send(.submit)
    gate.continuation.yield()
    await signingIn.value
    #expect(try server.bodies(PasswordGrantBody.self).count == 1)
  }

  @Test func `giving up leaves the form as it was`() async throws {
    let server = DraftServer {
      try await Task.sleep(for: .seconds(600))
      throw NetworkError.timedOut
    }
    let store = makeStore(login: "ana", password: "lantern", server: server)
    let signingIn = Task { await store.send(.submit) }
    #expect(await eventually { store.submission.isLoading() })
    await store.send(.cancel)
    await signingIn.value
    #expect(!store.submission.isLoading())
    #expect(store.state.formProblem == nil)
    #expect(store.password == "lantern")
    #expect(store.canSubmit)
  }

  @Test func `a held answer puts a field's problem on the field`() async {
    let store = Store<SignInReducer>(
      initialState: .init(serverKind: .embedded, login: "ana"),
      environment: .init(
        authService: DraftServer.unreachable().authService,
        serverHealthService: DraftServer.unreachable().serverHealthService),
      testContext: TestContext { Issue.record(Comment(rawValue: $0)) })
    store.setValue("lantern", at: \.password)
    await store.send(.submit)
    #expect(store.submission.isLoading())
    let problem = FieldProblem(field: .password, advice: "Use at least 6 characters.")
    store.testContext?.makeValueForAwaitingKeypath(
      for: \.submission, .failed(LoadingFailure(failure: .field(problem), timestamp: .now))
    ) { state in
      #expect(state.problem(on: .password) == problem)
      #expect(state.formProblem == nil)
      #expect(state.firstProblemField == .password)
    }
  }
}
