/// Caches draft stores, so that a closed form reopens as it was left.
///
/// The root environment is reduced to what each reducer needs. A store lives until it is removed or
/// the container is released.
@MainActor
public final class StoreContainer<Root: Sendable> {
  private struct Key: Hashable {
    let reducer: ObjectIdentifier
    /// Nil for the single store of a reducer.
    let id: AnyHashable?
  }

  public let environment: Root
  private var stores: [Key: AnyObject] = [:]

  public init(environment: Root) { self.environment = environment }

  /// The store of the state with this id; created from `state` if there is none.
  ///
  /// - Parameter scope: Extracts the reducer's environment; called only when the store is created.
  public func store<R: Reducer>(
    type: R.Type = R.self, state: R.State, environment scope: (Root) -> R.Environment
  ) -> Store<R> where R.State: Identifiable {
    store(type, id: state.id, state: state, environment: scope)
  }

  /// The single store of a reducer; created from `state` if there is none.
  ///
  /// - Parameter scope: Extracts the reducer's environment; called only when the store is created.
  @_disfavoredOverload
  public func store<R: Reducer>(
    type: R.Type = R.self, state: @autoclosure () -> R.State,
    environment scope: (Root) -> R.Environment
  ) -> Store<R> {
    store(type, id: nil, state: state(), environment: scope)
  }

  /// The store of the state with this id, for a reducer that depends on nothing.
  public func store<R: Reducer>(type: R.Type = R.self, state: R.State) -> Store<R>
  where R.State: Identifiable, R.Environment == Void {
    store(type, id: state.id, state: state) { _ in }
  }

  /// The single store of a reducer that depends on nothing.
  @_disfavoredOverload
  public func store<R: Reducer>(
    type: R.Type = R.self, state: @autoclosure () -> R.State
  ) -> Store<R> where R.Environment == Void {
    store(type, id: nil, state: state()) { _ in }
  }

  /// All cached stores of a reducer.
  public func stores<R: Reducer>(of type: R.Type) -> [Store<R>] {
    stores.values.compactMap { $0 as? Store<R> }
  }

  /// Removes the store with this id; the next request creates a new one.
  public func remove<R: Reducer>(_ type: R.Type, id: R.State.ID) where R.State: Identifiable {
    stores[Key(reducer: ObjectIdentifier(type), id: AnyHashable(id))] = nil
  }

  /// Removes the single store of a reducer.
  public func remove<R: Reducer>(_ type: R.Type) {
    stores[Key(reducer: ObjectIdentifier(type), id: nil)] = nil
  }

  private func store<R: Reducer>(
    _ type: R.Type, id: AnyHashable?, state: @autoclosure () -> R.State,
    environment scope: (Root) -> R.Environment
  ) -> Store<R> {
    let key = Key(reducer: ObjectIdentifier(type), id: id)
    if let known = stores[key] as? Store<R> { return known }
    let made = Store<R>(initialState: state(), environment: scope(environment))
    stores[key] = made
    return made
  }
}
