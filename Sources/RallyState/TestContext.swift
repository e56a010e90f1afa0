#if DEBUG
  /// Suspends a reducer's asynchronous work, so that a test supplies the results and checks the
  /// state in between.
  ///
  /// Reports an issue if a result was requested and neither supplied nor forgotten when the store
  /// is released, and if one is supplied that nobody requested.
  @MainActor
  public final class TestContext<R: Reducer> {
    weak var store: Store<R>?
    private var awaiting: Set<PartialKeyPath<R.State>> = []
    /// `awaiting` as text, since `deinit` cannot use the key paths.
    private var unanswered: [String] = []
    private let issueHandler: @Sendable (String) -> Void

    /// - Parameter issueHandler: Records an issue in the running test.
    public init(issueHandler: @escaping @Sendable (String) -> Void) {
      self.issueHandler = issueHandler
    }

    deinit {
      for keyPath in unanswered { issueHandler("Nobody answered \(keyPath).") }
    }

    /// Whether a result for this key path is requested.
    public func isAwaiting(_ keyPath: PartialKeyPath<R.State>) -> Bool {
      awaiting.contains(keyPath)
    }

    /// Supplies the result for a key path.
    ///
    /// - Parameter check: Called with the state right after the result was stored.
    public func makeValueForAwaitingKeypath<Value>(
      for keyPath: WritableKeyPath<R.State, Value>, _ value: Value,
      check: (R.State) -> Void = { _ in }
    ) {
      guard finish(keyPath), let store else {
        issueHandler("Nobody waits for \(keyPath).")
        return
      }
      store.setValue(value, at: keyPath)
      check(store.state)
    }

    /// Leaves a request unanswered on purpose.
    public func forget(keypath: PartialKeyPath<R.State>) {
      if !finish(keypath) { issueHandler("Nobody waits for \(keypath).") }
    }

    func register(_ keyPath: PartialKeyPath<R.State>) {
      if awaiting.insert(keyPath).inserted { unanswered.append("\(keyPath)") }
    }

    private func finish(_ keyPath: PartialKeyPath<R.State>) -> Bool {
      unanswered.removeAll { $0 == "\(keyPath)" }
      return awaiting.remove(keyPath) != nil
    }
  }
#endif
