import Foundation
import RallyTestSupport
import RallyWire
import Synchronization
import Testing

@testable import RallyClient
@testable import RallySystem

@Suite struct SessionKeeperTests {
  /// A wall clock that the test moves.
  private final class HandClock: Sendable {
    private let time = Mutex(Samples.time)
    var now: WireTime { time.withLock { $0 } }
    func move(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
  }

  /// A refresh endpoint that counts, and answers when the test says so.
  private final class Endpoint: Sendable {
    let calls = Watched<[String]>([])
    let answer: Watched<Result<AuthSession, NetworkError>?>
    init(_ answer: Result<AuthSession, NetworkError>? = nil) { self.answer = Watched(answer) }

    func refresh(_ token: String) async throws -> AuthSession {
      calls.change { $0.append(token) }
      let answer = await answer.first(within: PollingBackoff.limit) { $0 != nil }
      return try #require(answer ?? nil).get()
    }
  }

  private let clock = HandClock()

  private func keeper(_ endpoint: Endpoint, store: TokenStore? = nil) -> SessionKeeper {
    let clock = clock
    return SessionKeeper(store: store, now: { clock.now }) { try await endpoint.refresh($0) }
  }

  @Test func `twenty waiters with an old token cause one refresh`() async throws {
    // given
    let endpoint = Endpoint()
    let keeper = keeper(endpoint)
    try await keeper.adopt(Samples.session())
    clock.move(by: .seconds(3580))
    // when
    let waiters = (0..<20).map { _ in Task { try await keeper.token().text } }
    _ = await endpoint.calls.first(within: PollingBackoff.limit) { !$0.isEmpty }
    endpoint.answer.change { $0 = .success(Samples.session(token: "access-2")) }
    // then
    for waiter in waiters { #expect(try await waiter.value == "access-2") }
    #expect(endpoint.calls.value == ["refresh-0001"])
  }

  @Test func `a session that cannot be written is named, and holds until the program ends`()
    async throws
  {
    // given: a file where the folder of the sessions has to be
    let folder = try TemporaryFolder()
    let store = TokenStore(folder: folder.file("state"), server: "embedded")
    try Data().write(to: URL(filePath: folder.file("state/sessions")))
    let keeper = keeper(Endpoint(), store: store)
    let events = keeper.events.stream()
    // when
    let error = await #expect(throws: FileError.self) {
      try await keeper.adopt(Samples.session())
    }
    // then
    #expect(error?.path.hasPrefix(folder.file("state/sessions")) == true)
    #expect(await keeper.unkept == error)
    #expect(await keeper.current()?.user.id == Samples.session().user.id)
    #expect(await events.first { _ in true } == .signedIn(Samples.session().user.id))
    // and: what can be written again is kept again
    try FileManager.default.removeItem(atPath: folder.file("state/sessions"))
    try await keeper.adopt(Samples.session())
    #expect(await keeper.unkept == nil)
    #expect(store.load() != nil)
  }

  @Test func `a token is used until thirty seconds before its end`() async throws {
    let endpoint = Endpoint(.success(Samples.session(token: "access-2")))
    let keeper = keeper(endpoint)
    try await keeper.adopt(Samples.session())
    clock.move(by: .seconds(3569))
    #expect(try await keeper.token().text == "access-1")
    clock.move(by: .seconds(1))
    #expect(try await keeper.token().text == "access-2")
  }

  @Test(arguments: [
    AuthFailureCode.sessionNotFound, .sessionExpired, .refreshTokenNotFound,
    .refreshTokenAlreadyUsed,
  ])
  func `a session that the server calls dead is erased and everybody hears it`(
    _ code: AuthFailureCode
  ) async throws {
    // given
    let folder = try TemporaryFolder()
    let store = TokenStore(folder: folder.file("state"), server: "embedded")
    let failure = NetworkError.auth(AuthFailure(code, "gone"), status: 400)
    let keeper = keeper(Endpoint(.failure(failure)), store: store)
    try await keeper.adopt(Samples.session())
    let events = keeper.events.stream()
    clock.move(by: .seconds(4000))
    // when
    await #expect(throws: NetworkError.signedOut) { try await keeper.token() }
    // then
    #expect(await keeper.current() == nil)
    #expect(store.load() == nil)
    #expect(await events.first { _ in true } == .ended(.refused(code)))
  }

  @Test(arguments: [
    NetworkError.unreachable("connection refused"), .timedOut, .http(status: 502),
    .rateLimited(retryAfter: nil), .auth(AuthFailure(.conflict, "busy"), status: 409),
  ])
  func `a network that fails never ends the session`(_ failure: NetworkError) async throws {
    let folder = try TemporaryFolder()
    let store = TokenStore(folder: folder.file("state"), server: "embedded")
    let keeper = keeper(Endpoint(.failure(failure)), store: store)
    try await keeper.adopt(Samples.session())
    clock.move(by: .seconds(4000))
    await #expect(throws: failure) { try await keeper.token() }
    #expect(await keeper.current() != nil)
    #expect(store.load() != nil)
  }

  @Test func `a token that is still good is used when its refresh fails`() async throws {
    let keeper = keeper(Endpoint(.failure(.timedOut)))
    try await keeper.adopt(Samples.session())
    clock.move(by: .seconds(3590))
    #expect(try await keeper.token().text == "access-1")
  }

  @Test func `a session that another program renewed is taken from the file`() async throws {
    // given
    let folder = try TemporaryFolder()
    let store = TokenStore(folder: folder.file("state"), server: "embedded")
    let endpoint = Endpoint(.failure(.timedOut))
    let keeper = keeper(endpoint, store: store)
    try await keeper.adopt(Samples.session())
    clock.move(by: .seconds(3590))
    try store.save(
      Samples.session(token: "access-9", refreshToken: "refresh-0009", at: clock.now))
    // then
    #expect(try await keeper.token().text == "access-9")
    #expect(endpoint.calls.value.isEmpty)
  }

  @Test func `a token turned down by the server is renewed although the clock calls it good`()
    async throws
  {
    let endpoint = Endpoint(.success(Samples.session(token: "access-2")))
    let keeper = keeper(endpoint)
    try await keeper.adopt(Samples.session())
    #expect(try await keeper.token(insteadOf: "access-1").text == "access-2")
    #expect(try await keeper.token(insteadOf: "access-1").text == "access-2")
    #expect(endpoint.calls.value.count == 1)
  }

  @Test func `a refresh that ends after signing out brings nothing back`() async throws {
    // given
    let endpoint = Endpoint()
    let keeper = keeper(endpoint)
    try await keeper.adopt(Samples.session())
    clock.move(by: .seconds(4000))
    let token = Task { try await keeper.token() }
    _ = await endpoint.calls.first(within: PollingBackoff.limit) { !$0.isEmpty }
    // when
    await keeper.end(.signedOut)
    endpoint.answer.change { $0 = .success(Samples.session(token: "access-2")) }
    // then
    await #expect(throws: NetworkError.signedOut) { try await token.value }
    #expect(await keeper.current() == nil)
  }
}
