import Observation

/// A value derived from what is observed, that tells its readers only when it has changed.
///
/// A body that reads a list to count it runs again at every change of the list; one that reads a
/// box with the count runs again when the number is another one.
@MainActor
@Observable
public final class BoxedState<Value: Equatable> {
  public private(set) var value: Value

  @ObservationIgnored private let derive: @MainActor () -> Value

  /// - Parameter derive: Reads observable objects; run once now, and again after every change of
  ///   what it read.
  public init(_ derive: @escaping @MainActor () -> Value) {
    self.derive = derive
    value = derive()
    follow()
  }

  /// A part of a store's state, or what `map` makes of it.
  public convenience init<R: Reducer, Part>(
    of keyPath: KeyPath<R.State, Part>, in store: Store<R>,
    map: @escaping @MainActor (Part) -> Value
  ) {
    self.init { map(store.state[keyPath: keyPath]) }
  }

  /// A part of a store's state.
  public convenience init<R: Reducer>(of keyPath: KeyPath<R.State, Value>, in store: Store<R>) {
    self.init { store.state[keyPath: keyPath] }
  }

  /// Derives the value and watches what it was derived from.
  ///
  /// What is watched tells before it changes, so the value is derived in a later turn of the main
  /// actor; many changes in one turn are one.
  private func follow() {
    let derived = withObservationTracking {
      derive()
    } onChange: { [weak self] in
      Task { @MainActor in self?.follow() }
    }
    if derived != value { value = derived }
  }
}
