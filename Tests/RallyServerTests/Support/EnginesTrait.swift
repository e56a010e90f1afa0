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
      if engine == .postgres { await Turnstile.postgres.enter() }
      defer { if engine == .postgres { Turnstile.postgres.leave() } }
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      try await TestEngine.$current.withValue(engine) {
        try await TestEngine.$folder.withValue(folder.path) { try await function() }
      }
    }
  }
}

/// Lets a few in at a time: every server has connections of its own, and PostgreSQL has a process for
/// each of them.
private final class Turnstile: Sendable {
  static let postgres = Turnstile(places: 6)

  private struct State {
    var places: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(places: Int) { state = Mutex(State(places: places)) }

  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.places == 0 else {
          state.places -= 1
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
        state.places += 1
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
