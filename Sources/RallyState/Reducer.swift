import FoundationEssentials

/// The logic of a short-lived state, such as a form.
///
/// A reducer has no state of its own: the `Store` holds state and environment and calls `reduce`
/// for every request. Services are reached only through the environment.
@MainActor
public protocol Reducer {
  associatedtype State
  associatedtype Request: Sendable
  associatedtype Environment: Sendable

  init()

  /// Handles one request; changes the state only through the functions below.
  func reduce(store: Store<Self>, request: Request) async

  /// Called once, when the store is created: subscribes to streams that become requests.
  func setupSubscriptions(store: Store<Self>)
}

extension Reducer {
  public func setupSubscriptions(store: Store<Self>) {}

  // MARK: - Answers

  /// Runs a request and stores its progress at `keyPath`.
  ///
  /// - What: Sets `.loading` at once, then `.loaded`, `.failed` or `.cancelled` with the time.
  /// - How: Runs the work in a task that the store tracks. A later load of the same key path
  ///   cancels this one, and its result is dropped.
  /// - Why: A form must show that it is loading, and must not be overwritten by an outdated result.
  /// - Parameters:
  ///   - work: Runs outside the main actor with the store's environment.
  public func load<Value: Sendable, Failure: Error>(
    store: Store<Self>,
    keyPath: WritableKeyPath<State, LoadableValue<Value, Failure>>,
    work: @escaping @Sendable (Environment) async throws(Failure) -> Value
  ) async {
    await load(store: store, keyPath: keyPath, work: work, map: { $0 })
  }

  /// Runs a request and stores its result transformed by `map`; otherwise like the other `load`.
  ///
  /// - Parameter map: Transforms the service's result; runs outside the main actor.
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

  /// Runs work whose result is stored at `keyPath`; the old value stays until then.
  ///
  /// A later call for the same key path cancels this one and drops its result.
  public func perform<Value: Sendable>(
    store: Store<Self>, keyPath: WritableKeyPath<State, Value>,
    work: @escaping @Sendable (Environment) async -> Value
  ) async {
    await run(store: store, keyPath: keyPath, work: work)
  }

  /// Runs a request in the background: the old value stays until the new one arrives, and the state
  /// is never `.loading`. Errors become `.failed`.
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

  /// Cancels the work for `keyPath`; a load becomes `.cancelled` once the work has ended.
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

  /// Changes a loaded value; does nothing in other states.
  public func modifyLoadedValue<Value, Failure: Error>(
    store: Store<Self>, _ keyPath: WritableKeyPath<State, LoadableValue<Value, Failure>>,
    _ change: (inout Value) -> Void
  ) {
    modifyValue(store: store, keyPath) { $0.modify(change) }
  }

  // MARK: - Environment

  /// Gives `body` one dependency of the environment.
  public func withEnvironment<Dependency, Result>(
    store: Store<Self>, keyPath: KeyPath<Environment, Dependency>,
    _ body: (Dependency) throws -> Result
  ) rethrows -> Result {
    try body(store.environment[keyPath: keyPath])
  }

  /// Gives `body` one dependency of the environment, asynchronously.
  ///
  /// Disfavoured, since the compiler would otherwise choose it for synchronous bodies too.
  @_disfavoredOverload
  public func withEnvironment<Dependency, Result>(
    store: Store<Self>, keyPath: KeyPath<Environment, Dependency>,
    _ body: @MainActor (Dependency) async throws -> Result
  ) async rethrows -> Result {
    try await body(store.environment[keyPath: keyPath])
  }

  // MARK: - Others

  /// Turns a dependency's stream into requests, for as long as the store lives.
  ///
  /// - What: Sends the request that `map` returns for each element, one after the other.
  /// - How: The store owns the task; the task holds the store weakly, and is cancelled with it.
  /// - Why: An open form must react to outside changes, but must not be kept alive by them.
  /// - Parameters:
  ///   - keypath: The dependency to observe.
  ///   - stream: Starts observing; called at once.
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

  /// Broadcasts a message to all features.
  public func broadcast(
    _ message: any BroadcastMessage, through studio: BroadcastStudio = .shared
  ) {
    studio.broadcast(message)
  }
}

extension LoadableValue {
  /// The state after work threw: `.cancelled` if it was cancelled, otherwise `.failed`.
  fileprivate init(refusal error: Failure) {
    self =
      Task.isCancelled || error is CancellationError
      ? .cancelled(.now) : .failed(LoadingFailure(failure: error, timestamp: .now))
  }
}
