import Observation

/// Keeps the state of a reducer, shows it to views and carries requests to the reducer.
///
/// `store.username` reads the state's `username`. A field of a form writes with `setValue(_:at:)`.
@MainActor
@Observable
@dynamicMemberLookup
public final class Store<R: Reducer> {
  public private(set) var state: R.State

  @ObservationIgnored let environment: R.Environment
  @ObservationIgnored private let reducer = R()
  @ObservationIgnored private var runs: [PartialKeyPath<R.State>: Run] = [:]
  @ObservationIgnored private var lastRun = 0
  @ObservationIgnored private var subscriptions: [Task<Void, Never>] = []
  #if DEBUG
    /// Holds every answer back until a test gives it; nil in the running program.
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
    /// A store whose asynchronous work is not done: the test gives the answers.
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

  /// Carries out a request and returns when everything it started has ended.
  public func send(_ request: R.Request) async {
    await reducer.reduce(store: self, request: request)
  }

  /// Carries out a request from where nothing can wait, such as a key press.
  public func send(_ request: R.Request) {
    // At once: the next key of the same burst goes on from what this one did.
    Task.immediate { await reducer.reduce(store: self, request: request) }
  }

  /// Writes a part of the state: what a two-way binding of a view stands on.
  public func setValue<Value>(_ value: Value, at keyPath: WritableKeyPath<R.State, Value>) {
    state[keyPath: keyPath] = value
  }

  /// Keeps a task that ends with the store.
  func own(_ subscription: Task<Void, Never>) { subscriptions.append(subscription) }

  // MARK: - Loads

  private struct Run {
    let number: Int
    let cancel: @Sendable () -> Void
  }

  /// Notes a load of `keyPath` and ends the one before it; the number tells them apart.
  func takeOver(
    _ keyPath: PartialKeyPath<R.State>, cancel: @escaping @Sendable () -> Void
  ) -> Int {
    runs[keyPath]?.cancel()
    lastRun += 1
    runs[keyPath] = Run(number: lastRun, cancel: cancel)
    return lastRun
  }

  /// Whether the load that ended is still the one that `keyPath` waits for.
  func finish(_ keyPath: PartialKeyPath<R.State>, run: Int) -> Bool {
    guard runs[keyPath]?.number == run else { return false }
    runs[keyPath] = nil
    return true
  }

  func cancel(_ keyPath: PartialKeyPath<R.State>) {
    runs[keyPath]?.cancel()
  }
}
