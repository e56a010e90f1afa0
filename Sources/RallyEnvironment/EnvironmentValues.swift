/// A key in the environment of views, with the value used when no ancestor sets one.
public protocol EnvironmentKey {
  associatedtype Value
  @MainActor static var defaultValue: Value { get }
}

/// The environment of a view subtree. A value type, copied where a view overrides an entry.
@MainActor
public struct EnvironmentValues {
  private static var lastVersion = 0

  private var values: [ObjectIdentifier: Any] = [:]
  /// 0 while empty; every write gives a new one.
  private var version = 0

  public nonisolated init() {}

  public subscript<Key: EnvironmentKey>(_ key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set {
      values[ObjectIdentifier(key)] = newValue
      Self.lastVersion += 1
      version = Self.lastVersion
    }
  }

  /// Whether one is a copy of the other and neither was written since.
  public func isUnchanged(from other: EnvironmentValues) -> Bool { version == other.version }
}
