import Observation
import RallyDomain

/// A property that a view connects to its node before `body` is read.
///
/// A class, since asking a value whether it is an instance of one costs a walk up its classes;
/// asking whether it conforms to a protocol makes the runtime look through all conformances there
/// are, once for each type, while the first frame is drawn.
@MainActor public class DynamicProperty {
  #if DEBUG
    /// The node that was linked last, which may still show the view of this property.
    private weak var node: Node?
  #endif

  init() {}

  func link(_ node: Node, index: Int) {}

  /// Notes the node for `Graph.checkMounts`: a property serves one node, so that a view value that
  /// stands in two places would show the state of one of them in both.
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

/// What of a state is observed. Not generic, since the key path of a generic type is made anew at
/// every access, which took a twentieth of a key press.
@MainActor class ObservedState: Observable {
  private static let changes = \ObservedState.change
  private let registrar = ObservationRegistrar()
  private var change: Void { () }

  fileprivate func willRead() { registrar.access(self, keyPath: Self.changes) }

  fileprivate func changing(_ body: () -> Void) {
    registrar.withMutation(of: self, keyPath: Self.changes, body)
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

/// State that a view owns: it lives as long as the view's identity.
@MainActor @propertyWrapper public final class State<Value>: DynamicProperty {
  private let make: @MainActor () -> Value
  private var known: StateLocation<Value>?

  /// The initial value is made once per identity, not once per view value.
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

/// A value that lives elsewhere, to read and to write.
@MainActor @propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
  private let get: @MainActor () -> Value
  private let set: @MainActor (Value) -> Void

  public init(
    get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void
  ) {
    self.get = get
    self.set = set
  }

  public static func constant(_ value: Value) -> Binding {
    Binding(get: { value }, set: { _ in })
  }

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

/// A dependency borrowed from above, by its name in the environment.
@MainActor @propertyWrapper public final class Environment<Value>: DynamicProperty {
  private let keyPath: KeyPath<EnvironmentValues, Value>
  private var values = EnvironmentValues()

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
    self.keyPath = keyPath
    super.init()
  }

  public var wrappedValue: Value { values[keyPath: keyPath] }

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
  /// Supplies a dependency to this subtree.
  public func environment<Value>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
  ) -> some View {
    EnvironmentView(content: AnyView(self)) { $0[keyPath: keyPath] = value }
  }
}

extension View {
  /// Supplies several dependencies to this subtree at once.
  func environment(_ change: @escaping @MainActor (inout EnvironmentValues) -> Void) -> some View {
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

  /// The size of the whole screen. Only a body that reads it runs again when it changes.
  public var terminalSize: Size {
    get { terminalGeometry.size }
    set { terminalGeometry = TerminalGeometry(newValue) }
  }
}
