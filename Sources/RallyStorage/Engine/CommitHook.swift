import Synchronization

/// What is called after each commit of an engine.
///
/// The function is in a structure: read out of a `Mutex` of functions, it would be wrapped once more
/// by each `withLock`, until a call of it needs more than the stack.
final class CommitHook: Sendable {
  private struct State {
    var body: @Sendable () -> Void = {}
  }

  private let state = Mutex(State())

  package func set(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.body = body } }

  func run() {
    let body = state.withLock { $0.body }
    body()
  }
}
