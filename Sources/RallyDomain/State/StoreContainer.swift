import Foundation

/// Keeps the stores of drafts, so that a form that was closed is found again as it was left.
///
/// One root environment is cut down to what each reducer needs. A store lives until it is removed
/// or the container goes.
@MainActor
public final class StoreContainer<Root: Sendable> {
  private struct Key: Hashable {
    let reducer: ObjectIdentifier
    /// Nil for the only store of its reducer.
    let id: AnyHashable?
  }

  public let environment: Root
  private var stores: [Key: AnyObject] = [:]

  public init(environment: Root) { self.environment = environment }

  /// The store of the state with this identity; made from `state` when there is none yet.
  ///
  /// - Parameter scope: Cuts the root environment down; asked only when the store is made.
  public func store<R: Reducer>(
    type: R.Type = R.self, state: R.State, environment scope: (Root) -> R.Environment
  ) -> Store<R> where R.State: Identifiable {
    store(type, id: state.id, state: state, environment: scope)
  }

  /// The only store of a reducer; made from `state` when there is none yet.
  ///
  /// - Parameter scope: Cuts the root environment down; asked only when the store is made.
  @_disfavoredOverload
  public func store<R: Reducer>(
    type: R.Type = R.self, state: @autoclosure () -> R.State,
    environment scope: (Root) -> R.Environment
  ) -> Store<R> {
    store(type, id: nil, state: state(), environment: scope)
  }

  /// The only store of a reducer that needs nothing; made from `state` when there is none yet.
  public func store<R: Reducer>(
    type: R.Type = R.self, state: @autoclosure () -> R.State
  ) -> Store<R> where R.Environment == Void {
    store(type, id: nil, state: state(), environment: { _ in })
  }

  /// Every store of a reducer that is kept.
  public func stores<R: Reducer>(of type: R.Type) -> [Store<R>] {
    stores.values.compactMap { $0 as? Store<R> }
  }

  /// Forgets a store with this identity: the next one begins anew.
  public func remove<R: Reducer>(_ type: R.Type, id: R.State.ID) where R.State: Identifiable {
    stores[Key(reducer: ObjectIdentifier(type), id: AnyHashable(id))] = nil
  }

  /// Forgets the only store of a reducer.
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
