import Observation

/// Holds the state of a reducer, exposes it to views and sends requests to the reducer.
///
/// `store.username` reads the state's `username`. Form fields write with `setValue(_:at:)`.
@MainActor
@Observable
@dynamicMemberLookup
public final class Store<R: Reducer>: StoreProtocol {
  public private(set) var state: R.State

  @ObservationIgnored public let environment: R.Environment
  @ObservationIgnored private let reducer = R()
  @ObservationIgnored private var runs: [PartialKeyPath<R.State>: Run] = [:]
  @ObservationIgnored private var lastRun = 0
  @ObservationIgnored private var subscriptions: [Task<Void, Never>] = []
  #if DEBUG
    /// Suspends all asynchronous results for a test; nil in the running program.
    @ObservationIgnored public let testContext: TestContext<R>?
  #endif

  public init(initialState: R.State, environment: R.Environment) {
    state = initialState
    self.environment = environment
    #if DEBUG
      testContext = nil
    #endif
    reducer.setupSubscriptions(store: self)
  }

  #if DEBUG
    /// A store that does no asynchronous work: the test supplies the results.
    public init(initialState: R.State, environment: R.Environment, testContext: TestContext<R>) {
      state = initialState
      self.environment = environment
      self.testContext = testContext
      testContext.store = self
      reducer.setupSubscriptions(store: self)
    }
  #endif

  deinit { for subscription in subscriptions { subscription.cancel() } }

  public subscript<Value>(dynamicMember keyPath: KeyPath<R.State, Value>) -> Value {
    state[keyPath: keyPath]
  }

  /// Handles a request and returns when everything it started has ended.
  public func send(_ request: R.Request) async {
    await reducer.reduce(store: self, request: request)
  }

  /// Handles a request from synchronous code, such as a key press.
  public func send(_ request: R.Request) {
    // Immediate, so that the next key of a burst sees the result of this one.
    Task.immediate { await reducer.reduce(store: self, request: request) }
  }

  /// Sets a part of the state; used by two-way bindings.
  public func setValue<Value>(_ value: Value, at keyPath: WritableKeyPath<R.State, Value>) {
    state[keyPath: keyPath] = value
  }

  /// Owns a task that is cancelled when the store is released.
  func own(_ subscription: Task<Void, Never>) { subscriptions.append(subscription) }

  // MARK: - Loads

  private struct Run {
    let number: Int
    let cancel: @Sendable () -> Void
  }

  /// Registers a load of `keyPath`, cancels the previous one and returns the run's number.
  func takeOver(_ keyPath: PartialKeyPath<R.State>, cancel: @escaping @Sendable () -> Void) -> Int {
    runs[keyPath]?.cancel()
    lastRun += 1
    runs[keyPath] = Run(number: lastRun, cancel: cancel)
    return lastRun
  }

  /// Whether this run is still the current one for `keyPath`.
  func finish(_ keyPath: PartialKeyPath<R.State>, run: Int) -> Bool {
    guard runs[keyPath]?.number == run else { return false }
    runs[keyPath] = nil
    return true
  }

  func cancel(_ keyPath: PartialKeyPath<R.State>) { runs[keyPath]?.cancel() }
}
