import Observation
import RallyEnvironment

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
