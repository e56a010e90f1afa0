import RallyTestSupport
import Synchronization
import Testing

/// Runs a test once on every engine, as it is used for a group: both pass the same tests.
struct EnginesTrait: SuiteTrait, TestTrait, TestScoping {
  let engines: [TestEngine]
  let isRecursive = true

  /// Around each case of each test, not around suites.
  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    for engine in engines {
      if engine == .postgres { await AsyncSemaphore.postgres.enter() }
      defer { if engine == .postgres { AsyncSemaphore.postgres.leave() } }
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      try await TestEngine.$current.withValue(engine) {
        try await TestEngine.$folder.withValue(folder.path) { try await function() }
      }
    }
  }
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
  static var everyEngine: Self { EnginesTrait(engines: TestEngine.allCases) }
}
