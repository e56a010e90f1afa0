import RallyState
import TerminalKit

extension Binding {
  /// A two-way binding to a part of a store's state.
  public init<R: Reducer>(from store: Store<R>, _ keyPath: WritableKeyPath<R.State, Value>) {
    self.init(
      get: { store.state[keyPath: keyPath] }, set: { store.setValue($0, at: keyPath) })
  }

  /// A two-way binding to a part of a store's state that may be missing.
  ///
  /// - Parameter value: What is read while it is missing.
  public init<R: Reducer>(
    from store: Store<R>, _ keyPath: WritableKeyPath<R.State, Value?>, default value: Value
  ) {
    self.init(
      get: { store.state[keyPath: keyPath] ?? value }, set: { store.setValue($0, at: keyPath) })
  }
}

extension Binding<Bool> {
  public func toggle() { wrappedValue = !wrappedValue }
}

extension Store {
  /// A two-way binding to a part of the state.
  public func binding<Value>(_ keyPath: WritableKeyPath<R.State, Value>) -> Binding<Value> {
    Binding(from: self, keyPath)
  }

  /// A two-way binding to a part of the state that may be missing.
  ///
  /// - Parameter value: What is read while it is missing.
  public func binding<Value>(
    _ keyPath: WritableKeyPath<R.State, Value?>, default value: Value
  ) -> Binding<Value> {
    Binding(from: self, keyPath, default: value)
  }
}
