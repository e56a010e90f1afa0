#if DEBUG
  /// Holds the answers that a reducer asks for, so that a test gives them and looks in between.
  ///
  /// An answer that was asked for and neither given nor forgotten is reported when the store goes,
  /// and so is one that is given though nobody asked.
  @MainActor
  public final class TestContext<R: Reducer> {
    weak var store: Store<R>?
    private var awaiting: Set<PartialKeyPath<R.State>> = []
    /// What `awaiting` holds, as text, since a key path cannot be read while the object goes.
    private var unanswered: [String] = []
    private let issueHandler: @Sendable (String) -> Void

    /// - Parameter issueHandler: Makes a failure of the running test out of a sentence.
    public init(issueHandler: @escaping @Sendable (String) -> Void) {
      self.issueHandler = issueHandler
    }

    deinit {
      for keyPath in unanswered { issueHandler("Nobody answered \(keyPath).") }
    }

    /// Whether an answer for this place is being waited for.
    public func isAwaiting(_ keyPath: PartialKeyPath<R.State>) -> Bool {
      awaiting.contains(keyPath)
    }

    /// Gives the answer that a place of the state waits for.
    ///
    /// - Parameter check: Looks at the state right after the answer was put there.
    public func makeValueForAwaitingKeypath<Value>(
      for keyPath: WritableKeyPath<R.State, Value>, _ value: Value,
      check: (R.State) -> Void = { _ in }
    ) {
      guard settle(keyPath), let store else {
        issueHandler("Nobody waits for \(keyPath).")
        return
      }
      store.setValue(value, at: keyPath)
      check(store.state)
    }

    /// Leaves a place unanswered on purpose.
    public func forget(keypath: PartialKeyPath<R.State>) {
      if !settle(keypath) { issueHandler("Nobody waits for \(keypath).") }
    }

    func register(_ keyPath: PartialKeyPath<R.State>) {
      if awaiting.insert(keyPath).inserted { unanswered.append("\(keyPath)") }
    }

    private func settle(_ keyPath: PartialKeyPath<R.State>) -> Bool {
      unanswered.removeAll { $0 == "\(keyPath)" }
      return awaiting.remove(keyPath) != nil
    }
  }
#endif
