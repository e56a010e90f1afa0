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

  /// Says once, when the store is made, which streams turn into requests.
  func setupSubscriptions(store: Store<Self>)
}

extension Reducer {
  public func setupSubscriptions(store: Store<Self>) {}

  // MARK: - Answers

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
    await load(store: store, keyPath: keyPath, work: work, map: { $0 })
  }

  /// Asks for an answer and keeps what `map` makes of it, step by step as the other `load` does.
  ///
  /// - Parameter map: Turns the service's answer into what the form keeps; outside the main actor.
  public func load<Answer: Sendable, Value: Sendable, Failure: Error>(
    store: Store<Self>,
    keyPath: WritableKeyPath<State, LoadableValue<Value, Failure>>,
    work: @escaping @Sendable (Environment) async throws(Failure) -> Answer,
    map: @escaping @Sendable (Answer) -> Value
  ) async {
    store.setValue(.loading, at: keyPath)
    await run(store: store, keyPath: keyPath) { environment in
      do throws(Failure) {
        return .loaded(LoadingSuccess(value: map(try await work(environment)), timestamp: .now))
      } catch {
        return LoadableValue(refusal: error)
      }
    }
  }

  /// Asks for a value that is put at `keyPath` when it comes; until then what was there stays.
  ///
  /// A later answer for the same place takes over, and the earlier one is cancelled and dropped.
  public func perform<Value: Sendable>(
    store: Store<Self>, keyPath: WritableKeyPath<State, Value>,
    work: @escaping @Sendable (Environment) async -> Value
  ) async {
    await run(store: store, keyPath: keyPath, work: work)
  }

  /// Asks for an answer in the background: what was there stays until the new one comes, and the
  /// place never shows that it loads. What the work throws becomes `.failed`.
  public func perform<Value: Sendable, Failure: Error>(
    store: Store<Self>, keyPath: WritableKeyPath<State, LoadableValue<Value, Failure>>,
    work:
      @escaping @Sendable (Environment) async throws(Failure) -> LoadableValue<Value, Failure>
  ) async {
    await run(store: store, keyPath: keyPath) { environment in
      do throws(Failure) {
        return try await work(environment)
      } catch {
        return LoadableValue(refusal: error)
      }
    }
  }

  /// Gives up what is being asked for at `keyPath`; a load becomes `.cancelled` once it has ended.
  public func cancel<Value>(store: Store<Self>, keyPath: WritableKeyPath<State, Value>) {
    store.cancel(keyPath)
  }

  private func run<Value: Sendable>(
    store: Store<Self>, keyPath: WritableKeyPath<State, Value>,
    work: @escaping @Sendable (Environment) async -> Value
  ) async {
    #if DEBUG
      if let testContext = store.testContext {
        testContext.register(keyPath)
        return
      }
    #endif
    let environment = store.environment
    let task = Task { @Sendable () async -> Value in await work(environment) }
    let run = store.takeOver(keyPath, cancel: { task.cancel() })
    let outcome = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    if store.finish(keyPath, run: run) { store.setValue(outcome, at: keyPath) }
  }

  // MARK: - State

  /// Changes a part of the state in place.
  public func modifyValue<Value>(
    store: Store<Self>, _ keyPath: WritableKeyPath<State, Value>, _ change: (inout Value) -> Void
  ) {
    var value = store.state[keyPath: keyPath]
    change(&value)
    store.setValue(value, at: keyPath)
  }

  /// Changes an answer that is there; does nothing while there is none.
  public func modifyLoadedValue<Value, Failure: Error>(
    store: Store<Self>, _ keyPath: WritableKeyPath<State, LoadableValue<Value, Failure>>,
    _ change: (inout Value) -> Void
  ) {
    modifyValue(store: store, keyPath) { $0.modify(change) }
  }

  // MARK: - Environment

  /// Lets `body` use one dependency of the environment.
  public func withEnvironment<Dependency, Result>(
    store: Store<Self>, keyPath: KeyPath<Environment, Dependency>,
    _ body: (Dependency) throws -> Result
  ) rethrows -> Result {
    try body(store.environment[keyPath: keyPath])
  }

  /// Lets `body` use one dependency of the environment and wait for it.
  ///
  /// Disfavoured, since a body that waits for nothing would be waited for as well.
  @_disfavoredOverload
  public func withEnvironment<Dependency, Result>(
    store: Store<Self>, keyPath: KeyPath<Environment, Dependency>,
    _ body: @MainActor (Dependency) async throws -> Result
  ) async rethrows -> Result {
    try await body(store.environment[keyPath: keyPath])
  }

  // MARK: - Others

  /// Turns what a dependency tells into requests, for as long as the store lives.
  ///
  /// - What: Sends the request that `map` makes of each element, one after the other.
  /// - How: The store owns the task, and the task does not own the store: when the store goes, the
  ///   stream is let go of.
  /// - Why: A form that is open must hear of what happens around it, and must not live on for it.
  /// - Parameters:
  ///   - keypath: The dependency that is listened to.
  ///   - stream: Begins to listen; called at once.
  ///   - map: The request for an element; nil for none.
  public func subscribe<Dependency, Element: Sendable>(
    store: Store<Self>, keypath: KeyPath<Environment, Dependency>,
    stream: (Dependency) -> AsyncStream<Element>, map: @escaping @MainActor (Element) -> Request?
  ) {
    let elements = stream(store.environment[keyPath: keypath])
    store.own(
      Task { [weak store] in
        for await element in elements {
          guard let store else { return }
          if let request = map(element) { await store.send(request) }
        }
      })
  }

  /// Tells the rest of the program what happened to the session.
  public func broadcast(
    _ message: BroadcastMessage, through studio: BroadcastStudio = .shared
  ) {
    studio.broadcast(message)
  }
}

extension LoadableValue {
  /// What becomes of work that threw: given up when it was cancelled, refused otherwise.
  fileprivate init(refusal error: Failure) {
    self =
      Task.isCancelled || error is CancellationError
      ? .cancelled(.now) : .failed(LoadingFailure(failure: error, timestamp: .now))
  }
}
