import Synchronization

// The benchmarks link Swift's libraries statically, which excludes Testing; they run no test.
#if canImport(Testing)
  import Testing

  /// Runs a test once on every engine, as it is used for a group: all pass the same tests.
  package struct EnginesTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    /// Around each case of each test, not around suites.
    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
      testCase == nil ? nil : self
    }

    package func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      for engine in EnginesTrait.engines(of: test) {
        let isShared = engine != .sqlite
        if isShared { await AsyncSemaphore.postgres.enter() }
        defer { if isShared { AsyncSemaphore.postgres.leave() } }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // The same in every run, so that a failure comes again with the same `RALLY_TEST_SEED`.
        let seed = test.name.utf8.reduce(0) { ($0 &* 31) &+ UInt64($1) }
        let naming = IssueHandlingTrait.compactMapIssues { issue in
          var issue = issue
          issue.comments.append("on \(engine)")
          return issue
        }
        try await TestEngine.$current.withValue(engine) {
          try await TestEngine.$folder.withValue(folder.path) {
            try await TestEngine.$seed.withValue(seed) {
              try await naming.provideScope(for: test, testCase: testCase, performing: function)
            }
          }
        }
      }
    }

    private static func engines(of test: Test) -> [TestEngine] {
      let isAcross =
        test.traits.contains { $0 is NodesTrait } && !test.traits.contains { $0 is OneNodeTrait }
      return [.sqlite, .postgres] + (isAcross ? [.nodes] : [])
    }
  }

  /// Marks tests that speak to a server through its sockets only.
  package struct NodesTrait: SuiteTrait, TestTrait {
    package let isRecursive = true
  }

  /// Marks tests that need all of their calls to meet the same server.
  package struct OneNodeTrait: TestTrait {
    package let reason: String
  }

  /// Limits how many tests run at once: every server has connections of its own, and PostgreSQL
  /// starts a process for each.
  private final class AsyncSemaphore: Sendable {
    static let postgres = AsyncSemaphore(permits: 6)

    private struct State {
      var permits: Int
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(permits: Int) { state = Mutex(State(permits: permits)) }

    func enter() async {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          guard state.permits == 0 else {
            state.permits -= 1
            return true
          }
          state.waiting.append(continuation)
          return false
        }
        if isFree { continuation.resume() }
      }
    }

    func leave() {
      let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard !state.waiting.isEmpty else {
          state.permits += 1
          return nil
        }
        return state.waiting.removeFirst()
      }
      next?.resume()
    }
  }

  extension Trait where Self == EnginesTrait {
    /// On SQLite and on PostgreSQL.
    package static var everyEngine: Self { EnginesTrait() }
  }

  extension Trait where Self == NodesTrait {
    /// Beside `everyEngine`: on two servers as well, each call through a random one.
    package static var acrossNodes: Self { NodesTrait() }
  }

  extension Trait where Self == OneNodeTrait {
    /// Within a suite that is `acrossNodes`: not on two servers, for this reason.
    package static func oneNode(_ reason: String) -> Self { OneNodeTrait(reason: reason) }
  }
#endif
