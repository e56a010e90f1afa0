import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct StoreSynchronizerTests {
  private struct NumberSnapshot: StoreSnapshot {
    static let name = "number"
    var number: Int
    var asOf: WireTime
  }

  /// Shows one number; the test decides what each fetch responds with.
  @MainActor private final class NumberStore: SynchronizedStore {
    var presentedError: CommunityViewError?
    let log = RallyLog.logger("Number")
    let fetchFailureTitle = "Number could not be fetched"
    let synchronizer: StoreSynchronizer<NumberStore>
    let authService: AuthService
    private(set) var shown: Int?
    private(set) var fetchCount = 0
    var respond: (_ fetch: Int) async throws -> Int = { $0 }

    init(
      in folder: TemporaryFolder, refreshPause: Duration = .seconds(3600),
      retryPause: Duration = .seconds(3600)
    ) throws {
      let tokens = TokenStore(folder: folder.file("tokens"), server: "fake")
      try tokens.save(Samples.session(at: .now))
      let address = ServerAddress(endpoint: .url(try ServerURL("http://127.0.0.1:1")), key: "key")
      let client = SupabaseClient(
        tokens: tokens, transport: TransportGate(over: nil).transport,
        prepare: { [folder] in
          _ = folder
          return address
        })
      authService = AuthService(client: client)
      var timing = StoreTiming()
      timing.refreshPause = refreshPause
      timing.retryPause = retryPause
      synchronizer = StoreSynchronizer(
        authService: authService,
        persistenceService: PersistenceService(folder: folder.file("files")), timing: timing,
        isVisible: false)
      synchronizer.store = self
    }

    func fetch() async throws -> Int {
      fetchCount += 1
      return try await respond(fetchCount)
    }

    func commit(_ fetched: Int) { shown = fetched }
    func restore(_ snapshot: NumberSnapshot) { shown = snapshot.number }
    func snapshot(asOf: WireTime) -> NumberSnapshot? {
      shown.map { NumberSnapshot(number: $0, asOf: asOf) }
    }
    func reconcile() async { await synchronizer.reconcile() }
  }

  /// Holds a fetch until it is opened.
  @MainActor private final class Latch {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
      if isOpen { return }
      await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
      isOpen = true
      for continuation in waiting { continuation.resume() }
      waiting = []
    }
  }

  // MARK: - Changes

  @Test func `what changes alone bring has an end, and a fetch makes room for more`() async throws {
    let store = try NumberStore(in: TemporaryFolder())
    let (updates, update) = AsyncStream.makeStream(of: RealtimeUpdate<Int>.self)
    var taken = 0
    store.synchronizer.startListening {
      updates
    } receive: { _, _ in
      taken += 1
    }
    for number in 0...Pages.mostRows { update.yield(.changed(number)) }
    #expect(await eventually { store.synchronizer.isRefreshScheduled })
    #expect(taken == Pages.mostRows)
    #expect(await store.synchronizer.reconcile())
    update.yield(.changed(0))
    #expect(await eventually { taken == Pages.mostRows + 1 })
  }

  // MARK: - Fetching

  @Test func `of fetches that overlap only the newest commits`() async throws {
    // given: a first fetch whose response hangs
    let store = try NumberStore(in: TemporaryFolder())
    let latch = Latch()
    store.respond = { fetch in
      if fetch == 1 { await latch.wait() }
      return fetch
    }
    let older = Task { await store.synchronizer.refresh(.initial) }
    #expect(await eventually { store.fetchCount == 1 })
    // when
    #expect(await store.synchronizer.reconcile())
    latch.open()
    // then
    #expect(await !older.value)
    #expect(store.shown == 2)
    #expect(store.synchronizer.loadState == .loaded)
  }

  @Test func `a fetch that was read before an intent was answered is read again`() async throws {
    let store = try NumberStore(in: TemporaryFolder())
    let latch = Latch()
    store.respond = { fetch in
      if fetch == 1 { await latch.wait() }
      return fetch
    }
    let fetching = Task { await store.synchronizer.refresh(.initial) }
    #expect(await eventually { store.fetchCount == 1 })
    store.synchronizer.invalidateFetches()
    latch.open()
    #expect(await fetching.value)
    #expect(store.fetchCount == 2)
    #expect(store.shown == 2)
  }

  @Test func `what was fetched for a user who signed out meanwhile is dropped`() async throws {
    let store = try NumberStore(in: TemporaryFolder())
    let latch = Latch()
    store.respond = { fetch in
      await latch.wait()
      return fetch
    }
    let fetching = Task { await store.synchronizer.refresh(.initial) }
    #expect(await eventually { store.fetchCount == 1 })
    try await store.authService.signOut()
    latch.open()
    #expect(await !fetching.value)
    #expect(store.shown == nil)
    #expect(!store.synchronizer.hasFetched)
  }

  @Test
  func `while changes arrive, what a server in trouble refuses is fetched again until it comes`()
    async throws
  {
    let store = try NumberStore(
      in: TemporaryFolder(), refreshPause: .milliseconds(1), retryPause: .milliseconds(1))
    store.respond = { fetch in
      if fetch < 5 { throw NetworkError.http(status: 503) }
      return fetch
    }
    store.synchronizer.setLive(true)
    #expect(await eventually { store.shown == 5 })
    #expect(store.synchronizer.loadState == .loaded)
  }

  @Test func `the load state follows each fetch, and content stays when one fails`() async throws {
    // given
    let store = try NumberStore(in: TemporaryFolder())
    #expect(store.synchronizer.loadState == .loading)
    await store.synchronizer.refresh(.initial)
    #expect(store.synchronizer.loadState == .loaded)
    // when: a fetch in the background fails
    store.respond = { _ in throw NetworkError.connectionLost }
    await store.reconcile()
    // then: only the load state says so
    guard case .failed(let quiet) = store.synchronizer.loadState else {
      Issue.record("\(store.synchronizer.loadState)")
      return
    }
    #expect(quiet.title == "Number could not be fetched")
    #expect(store.presentedError == nil)
    #expect(store.shown == 1)
    // when: one that a user waits for fails
    await store.synchronizer.refresh(.refresh)
    // then
    #expect(store.presentedError?.title == "Number could not be fetched")
    // An expected error is no failure.
    store.presentedError = nil
    store.respond = { _ in throw CancellationError() }
    await store.synchronizer.refresh(.refresh)
    #expect(store.synchronizer.loadState == .loaded)
    #expect(store.presentedError == nil)
  }

  // MARK: - Cache

  @Test func `the cache is shown until the first fetch, and never after it`() async throws {
    let folder = try TemporaryFolder()
    let earlier = try NumberStore(in: folder)
    await earlier.synchronizer.refresh(.initial)
    await earlier.synchronizer.saveState()
    let store = try NumberStore(in: folder)
    store.respond = { _ in 7 }
    await store.synchronizer.restoreFromCache()
    #expect(store.shown == 1)
    #expect(store.synchronizer.asOf == earlier.synchronizer.asOf)
    #expect(store.synchronizer.loadState == .refreshing)
    await store.synchronizer.refresh(.initial)
    await store.synchronizer.restoreFromCache()
    #expect(store.shown == 7)
  }

  // MARK: - Polling and realtime

  @Test func `data is polled only while it is visible, and what was missed is fetched at once`()
    async throws
  {
    let store = try NumberStore(in: TemporaryFolder())
    store.synchronizer.setInterval(.seconds(3600))
    #expect(store.synchronizer.pace == nil)
    store.synchronizer.setVisible(true)
    #expect(store.synchronizer.pace == .seconds(3600))
    // Before the first fetch nothing was missed.
    #expect(!store.synchronizer.isRefreshScheduled)
    store.synchronizer.setVisible(false)
    #expect(store.synchronizer.pace == nil)
    await store.synchronizer.refresh(.initial)
    store.synchronizer.setVisible(true)
    #expect(store.synchronizer.isRefreshScheduled)
  }

  @Test func `realtime that is back fetches what happened before, once for many events`()
    async throws
  {
    let store = try NumberStore(in: TemporaryFolder(), refreshPause: .milliseconds(1))
    store.synchronizer.setLive(true)
    for _ in 0..<20 { store.synchronizer.scheduleRefresh() }
    #expect(store.synchronizer.isLive)
    #expect(await eventually { store.shown != nil && !store.synchronizer.isRefreshScheduled })
    #expect(store.fetchCount == 1)
  }

  // MARK: - Intents

  @Test func `one intent at a time is sent about a subject, and what became of it is a value`()
    async throws
  {
    // given
    let store = try NumberStore(in: TemporaryFolder())
    let latch = Latch()
    var ends: [Int?] = []
    func send(_ response: Result<Int, any Error>) async -> IntentOutcome<Int> {
      await store.synchronizer.perform(
        Samples.id(1), source: "send", failureTitle: "Not sent"
      ) {
      } call: { _ in
        await latch.wait()
        return try response.get()
      } end: {
        ends.append($0)
      }
    }
    // when
    let first = Task { await send(.success(3)) }
    #expect(await eventually { store.synchronizer.inFlightIDs == [Samples.id(1)] })
    // then
    #expect(await send(.success(4)) == .notStarted)
    latch.open()
    #expect(await first.value == .done(3))
    #expect(store.synchronizer.inFlightIDs.isEmpty)
    #expect(ends == [3])
    // when
    let failed = await send(.failure(NetworkError.connectionLost))
    // then
    let error = try #require(store.presentedError)
    #expect(failed == .refused(error))
    #expect(error.title == "Not sent")
    #expect(ends == [3, nil])
  }
}
