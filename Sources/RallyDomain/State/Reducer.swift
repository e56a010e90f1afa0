import Foundation

/// The rules by which a short-lived value, such as a form, changes.
///
/// A reducer holds nothing itself: the `Store` keeps its state and its environment, and calls
/// `reduce` for every request. Services are reached through the environment alone.
@MainActor
public protocol Reducer {
  associatedtype State
  associatedtype Request: Sendable
  associatedtype Environment: Sendable

  init()

  /// Carries out one request; changes the state only through the functions below.
  func reduce(store: Store<Self>, request: Request) async
}

extension Reducer {
  /// Asks for an answer and keeps every step of it at `keyPath`.
  ///
  /// - What: Sets `.loading` at once, then `.loaded`, `.failed` or `.cancelled` with the time.
  /// - How: Runs the work in a task that the store owns; a later load of the same place takes
  ///   over, and the earlier answer is dropped.
  /// - Why: A form must show what it waits for, and must not be overtaken by an old answer.
  /// - Parameters:
  ///   - work: Runs outside the main actor with the store's environment.
  public func load<Value: Sendable, Failure: Error>(
    store: Store<Self>,
    keyPath: WritableKeyPath<State, LoadableValue<Value, Failure>>,
    work: @escaping @Sendable (Environment) async throws(Failure) -> Value
  ) async {
    store.setValue(.loading, at: keyPath)
    #if DEBUG
      if let testContext = store.testContext {
        testContext.register(keyPath)
        return
      }
    #endif
    let environment = store.environment
    let task = Task { @Sendable () async -> LoadableValue<Value, Failure> in
      do throws(Failure) {
        let value = try await work(environment)
        return .loaded(LoadingSuccess(value: value, timestamp: .now))
      } catch {
        if Task.isCancelled || error is CancellationError { return .cancelled(.now) }
        return .failed(LoadingFailure(failure: error, timestamp: .now))
      }
    }
    let run = store.takeOver(keyPath, cancel: { task.cancel() })
    let outcome = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    if store.finish(keyPath, run: run) { store.setValue(outcome, at: keyPath) }
  }

  /// Gives up what is being loaded at `keyPath`; it becomes `.cancelled` once the work has ended.
  public func cancel<Value>(store: Store<Self>, keyPath: WritableKeyPath<State, Value>) {
    store.cancel(keyPath)
  }

  /// Changes a part of the state in place.
  public func modifyValue<Value>(
    store: Store<Self>, _ keyPath: WritableKeyPath<State, Value>, _ change: (inout Value) -> Void
  ) {
    var value = store.state[keyPath: keyPath]
    change(&value)
    store.setValue(value, at: keyPath)
  }

  /// Lets `body` use one dependency of the environment.
  public func withEnvironment<Dependency, Result>(
    store: Store<Self>, keyPath: KeyPath<Environment, Dependency>,
    _ body: (Dependency) throws -> Result
  ) rethrows -> Result {
    try body(store.environment[keyPath: keyPath])
  }

  /// Tells the rest of the program what happened to the session.
  public func broadcast(
    _ message: BroadcastMessage, through studio: BroadcastStudio = .shared
  ) {
    studio.broadcast(message)
  }
}
