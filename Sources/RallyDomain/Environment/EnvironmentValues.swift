/// Names a dependency that views borrow, and what they get when nobody above supplied one.
public protocol EnvironmentKey {
  associatedtype Value
  @MainActor static var defaultValue: Value { get }
}

/// The dependencies of a subtree of views: a small value, copied where a view overrides an entry.
@MainActor
public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]

  public nonisolated init() {}

  public subscript<Key: EnvironmentKey>(_ key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}
