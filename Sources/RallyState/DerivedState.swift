import Observation
import RallyEnvironment

/// A value derived from observable state that notifies its observers only when it changes.
///
/// A view body that counts the rows of a list runs again on every change of the list. One that
/// reads the derived count runs again only when the count changes.
@MainActor public final class DerivedState<Value: Equatable>: ObservedState {
  public var value: Value {
    willRead()
    return derived
  }

  private var derived: Value
  private var changes: ObservedChanges<Value>?

  /// - Parameter derive: Reads observable objects. Runs now, and again after every change of what it
  ///   read.
  public init(_ derive: @escaping @MainActor () -> Value) {
    derived = derive()
    super.init()
    changes = ObservedChanges(of: derive()) { [weak self] _, now in
      self?.changing { self?.derived = now }
    }
  }
}

/// A part of a store's state, or what is made of it, that notifies its observers only when it
/// changes.
///
/// A value that cannot be compared notifies them of every change of the state. What is derived of
/// anything but one part of one store is a `DerivedState`.
@MainActor public final class BoxedState<R: Reducer, Source, Value>: ObservedState {
  public var value: Value {
    willRead()
    return boxed
  }

  private var boxed: Value
  private var changes: ObservedChanges<Value>?

  private init(
    of keyPath: KeyPath<R.State, Source>, in store: Store<R>,
    map: @escaping @MainActor (Source) -> Value, isSame: @escaping (Value, Value) -> Bool
  ) {
    boxed = map(store.state[keyPath: keyPath])
    super.init()
    changes = ObservedChanges(of: map(store.state[keyPath: keyPath]), isSame: isSame) {
      [weak self] _, now in self?.changing { self?.boxed = now }
    }
  }

  /// - Parameter map: What is made of the part; runs again after every change of the state.
  public convenience init(
    of keyPath: KeyPath<R.State, Source>, in store: Store<R>,
    map: @escaping @MainActor (Source) -> Value
  ) where Value: Equatable {
    self.init(of: keyPath, in: store, map: map, isSame: { $0 == $1 })
  }

  @_disfavoredOverload
  public convenience init(
    of keyPath: KeyPath<R.State, Source>, in store: Store<R>,
    map: @escaping @MainActor (Source) -> Value
  ) {
    self.init(of: keyPath, in: store, map: map) { _, _ in false }
  }

  public convenience init(
    of keyPath: KeyPath<R.State, Value>, in store: Store<R>
  ) where Source == Value, Value: Equatable {
    self.init(of: keyPath, in: store, map: { $0 }, isSame: { $0 == $1 })
  }

  @_disfavoredOverload
  public convenience init(
    of keyPath: KeyPath<R.State, Value>, in store: Store<R>
  ) where Source == Value {
    self.init(of: keyPath, in: store, map: { $0 }) { _, _ in false }
  }
}

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
  /// actor. All changes of one turn are handled together.
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
