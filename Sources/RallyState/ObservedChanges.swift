import Observation

/// Calls back when a value that is derived from observable state has changed, until it is released.
///
/// For what follows stores and services without being a view. Nothing runs between two changes of
/// what the value was derived from.
@MainActor public final class ObservedChanges<Value> {
  public typealias Action = @MainActor (_ old: Value, _ new: Value) -> Void

  private let derive: @MainActor () -> Value
  private let isSame: (Value, Value) -> Bool
  private let action: Action
  /// The value when it was last derived; nil before the first time.
  private var last: Value?

  /// - Parameters:
  ///   - derive: Reads observable objects. Runs once now, and again after every change of what it
  ///     read.
  ///   - isSame: Whether two values are one and the same to whoever is called.
  ///   - action: Called with each value that differs from the one before it; not with the first.
  public init(
    of derive: @autoclosure @escaping @MainActor () -> Value,
    isSame: @escaping (Value, Value) -> Bool, _ action: @escaping Action
  ) {
    self.derive = derive
    self.isSame = isSame
    self.action = action
    follow()
  }

  public convenience init(
    of derive: @autoclosure @escaping @MainActor () -> Value, _ action: @escaping Action
  ) where Value: Equatable {
    self.init(of: derive(), isSame: { $0 == $1 }, action)
  }

  /// Derives the value and observes what it was derived from.
  ///
  /// `onChange` is called before the change, so the value is derived in a later turn of the main
  /// actor; all changes of one turn are handled together.
  private func follow() {
    let now = withObservationTracking {
      derive()
    } onChange: { [weak self] in
      Task { @MainActor in self?.follow() }
    }
    let old = last
    if let old, isSame(old, now) { return }
    last = now
    if let old { action(old, now) }
  }
}
