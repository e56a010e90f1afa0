import RallyDomain

extension Binding {
  /// Binds a part of a store's state: a field writes straight into its draft.
  public init<R: Reducer>(from store: Store<R>, _ keyPath: WritableKeyPath<R.State, Value>) {
    self.init(
      get: { store.state[keyPath: keyPath] }, set: { store.setValue($0, at: keyPath) })
  }
}

extension Binding<Bool> {
  /// On becomes off, and off on.
  public func toggle() { wrappedValue = !wrappedValue }
}

extension Store {
  /// Binds a part of the state to a field or a toggle.
  public func binding<Value>(_ keyPath: WritableKeyPath<R.State, Value>) -> Binding<Value> {
    Binding(from: self, keyPath)
  }
}
