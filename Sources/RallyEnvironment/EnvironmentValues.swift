/// A key in the environment of views, with the value used when no ancestor sets one.
public protocol EnvironmentKey {
  associatedtype Value
  @MainActor static var defaultValue: Value { get }
}

/// The environment of a view subtree. A value type, copied where a view overrides an entry.
@MainActor
public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]

  public nonisolated init() {}

  public subscript<Key: EnvironmentKey>(_ key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}
