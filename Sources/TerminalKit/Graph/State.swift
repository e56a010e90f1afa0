import Observation
import RallyEnvironment

/// A property wrapper that is connected to the view's node before `body` runs.
///
/// A class rather than a protocol: a class check walks the superclasses, while a conformance check
/// makes the runtime scan all conformances, once per type, before the first frame.
@MainActor public class DynamicProperty {
  #if DEBUG
    /// The node that was linked last, which may still show the view of this property.
    private weak var node: Node?
  #endif

  init() {}

  func link(_ node: Node, index: Int) {}

  /// Notes the node for `Graph.checkMounts`. A property serves one node: a view value that stands
  /// in two places would show the state of one of them in both.
  final func mount(on node: Node) {
    #if DEBUG
      if let former = self.node, former !== node, former.isAlive {
        node.graph.doubtfulMounts.append((self, former))
      }
      self.node = node
      node.mounted.append(self)
    #endif
  }
}

@MainActor final class StateLocation<Value>: ObservedState {
  private var stored: Value

  init(_ value: Value) { stored = value }

  var value: Value {
    get {
      willRead()
      return stored
    }
    set {
      assert(!Graph.isReadingBody, "state was written while a body was read")
      changing { stored = newValue }
    }
  }
}

/// State owned by a view; lives as long as the view's identity.
@MainActor @propertyWrapper public final class State<Value>: DynamicProperty {
  private let make: @MainActor () -> Value
  private var known: StateLocation<Value>?

  /// The initial value is evaluated once per identity, not once per view value.
  public init(wrappedValue: @autoclosure @escaping @MainActor () -> Value) {
    make = wrappedValue
    super.init()
  }

  private var location: StateLocation<Value> {
    if let known { return known }
    let made = StateLocation(make())
    known = made
    return made
  }

  public var wrappedValue: Value {
    get { location.value }
    set { location.value = newValue }
  }

  public var projectedValue: Binding<Value> {
    let location = location
    return Binding(get: { location.value }, set: { location.value = $0 })
  }

  override func link(_ node: Node, index: Int) {
    known = node.location(at: index) { StateLocation(make()) }
  }
}

/// Read and write access to a value stored elsewhere.
@MainActor @propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
  private let get: @MainActor () -> Value
  private let set: @MainActor (Value) -> Void

  public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
    self.get = get
    self.set = set
  }

  public static func constant(_ value: Value) -> Binding { Binding(get: { value }, set: { _ in }) }

  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  public var projectedValue: Binding<Value> { self }

  public subscript<Member>(
    dynamicMember keyPath: WritableKeyPath<Value, Member>
  ) -> Binding<Member> {
    Binding<Member>(
      get: { get()[keyPath: keyPath] },
      set: { member in
        var value = get()
        value[keyPath: keyPath] = member
        set(value)
      })
  }
}

extension Binding {
  /// Binds a property of an observable object: `Binding(store, \.query)`.
  public init<Root: AnyObject>(_ root: Root, _ keyPath: ReferenceWritableKeyPath<Root, Value>) {
    self.init(get: { root[keyPath: keyPath] }, set: { root[keyPath: keyPath] = $0 })
  }
}

/// Reads a value from the environment.
@MainActor @propertyWrapper public final class Environment<Value>: DynamicProperty {
  private let read: (EnvironmentValues) -> Value
  private var values = EnvironmentValues()

  /// - Parameter read: A key path, which the compiler makes a function: the runtime would need the
  ///   generic classes of all key path objects before the first frame.
  public init(_ read: @escaping (EnvironmentValues) -> Value) {
    self.read = read
    super.init()
  }

  public var wrappedValue: Value { read(values) }

  override func link(_ node: Node, index: Int) { values = node.environment }
}

struct EnvironmentView: PrimitiveView {
  let content: AnyView
  let change: @MainActor (inout EnvironmentValues) -> Void

  public func update(_ node: Node) {
    var values = node.environment
    change(&values)
    node.child(content, environment: values)
  }
}

extension View {
  /// Sets an environment value for this subtree.
  public func environment<Value>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
  ) -> some View {
    EnvironmentView(content: AnyView(self)) { $0[keyPath: keyPath] = value }
  }
}

extension View {
  /// Sets several environment values for this subtree.
  package func environment(_ change: @escaping @MainActor (inout EnvironmentValues) -> Void)
    -> some View
  {
    EnvironmentView(content: AnyView(self), change: change)
  }
}

// MARK: The terminal's size

@MainActor @Observable final class TerminalGeometry {
  var size: Size

  init(_ size: Size) { self.size = size }
}

private struct TerminalGeometryKey: EnvironmentKey {
  static let defaultValue = TerminalGeometry(Size(width: 80, height: 24))
}

extension EnvironmentValues {
  var terminalGeometry: TerminalGeometry {
    get { self[TerminalGeometryKey.self] }
    set { self[TerminalGeometryKey.self] = newValue }
  }

  /// The size of the screen. Only bodies that read it run again when it changes.
  public var terminalSize: Size {
    get { terminalGeometry.size }
    set { terminalGeometry = TerminalGeometry(newValue) }
  }
}
