import RallyEnvironment

/// A part of the interface, described by a value that is recreated on every change.
@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }

  /// Builds a node from this view. Called by the graph; views do not implement it.
  func mount(on node: Node)
}

extension View {
  public func mount(on node: Node) {
    node.link(self)
    let content = node.observe { body }
    node.rebuildChildren { node.child(content) }
  }
}

extension Never: View {
  public var body: Never { return fatalError("a primitive view has no body") }
}

/// A view that configures its node directly instead of having a body.
@MainActor public protocol PrimitiveView: View where Body == Never {
  /// Adds the children and sets the node's layout and handlers.
  ///
  /// Bindings and builders must be read through `node.observe`, so that changes run this again.
  func update(_ node: Node)
}

extension PrimitiveView {
  public func mount(on node: Node) { node.rebuildChildren { update(node) } }

  public var body: Never { fatalError("a primitive view has no body") }
}

/// Result builder for view lists with `if` and `switch`.
@resultBuilder @MainActor public enum ViewBuilder {
  public static func buildBlock() -> AnyView { .none }
  public static func buildBlock(_ view: some View) -> AnyView { AnyView(view) }
  public static func buildBlock<each V: View>(_ view: repeat each V) -> AnyView {
    var views: [AnyView] = []
    for view in repeat each view { views.append(AnyView(view)) }
    return AnyView(views: views)
  }
  public static func buildOptional(_ view: AnyView?) -> AnyView { view ?? .none }
  public static func buildEither(first: AnyView) -> AnyView { AnyView(first, branch: .first) }
  public static func buildEither(second: AnyView) -> AnyView { AnyView(second, branch: .second) }
}

/// No content; takes no space in a stack.
public struct EmptyView: PrimitiveView {
  public init() {}
  public func update(_ node: Node) {}
}

/// A type-erased view, or the views of a builder. It has no node: the state of what is in it is kept
/// while the types inside stay the same.
///
/// Stacks and modifiers use it to avoid deeply nested generic types. The runtime instantiates each
/// such type on first use and scans all conformances of the program for it. That took a fifth of
/// the time to the first frame.
///
/// A view that shows a content which it was given, and runs again by itself, adds the same `AnyView`
/// again: then the content is not updated.
public struct AnyView: PrimitiveView {
  /// Tells one wrapped value from another; copies of an `AnyView` share it.
  typealias ID = Int

  private static var lastID: ID = 0

  static let none = AnyView(views: [])

  /// Adds the wrapped views to a node as children, with the id of the child or of the whole of them.
  let visit: @MainActor (Node, ChildID, EnvironmentValues?) -> Void

  public init<V: View>(_ view: V) {
    if V.self == AnyView.self, let view = view as? AnyView {
      self = view
    } else if V.self == EmptyView.self {
      self = .none
    } else {
      Self.lastID += 1
      let source = Self.lastID
      visit = { $0.updateChild(view, from: source, id: $1, environment: $2) }
    }
  }

  /// The views of one builder block; they become items of the surrounding container.
  init(views: [AnyView]) {
    visit = { node, id, environment in
      for (index, view) in views.enumerated() {
        view.visit(node, id.view(index), environment)
      }
    }
  }

  /// One branch of an `if` with `else` or of a `switch`.
  fileprivate init(_ view: AnyView, branch: ChildID.Branch) {
    visit = { view.visit($0, $1.branch(branch), $2) }
  }

  public func update(_ node: Node) { node.child(self) }
}

/// Makes a view once for each value that it shows: while that is the same, the view is not updated by
/// the runs of the body around it.
@MainActor public final class KeptView<Value: Equatable> {
  private var kept: (value: Value, view: AnyView)?

  nonisolated public init() {}

  public func view<Content: View>(of value: Value, make: (Value) -> Content) -> AnyView {
    if let kept, kept.value == value { return kept.view }
    let view = AnyView(make(value))
    kept = (value, view)
    return view
  }
}

/// A view per element, identified by `id`; state follows the element when it moves.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {
  let data: Data
  package let id: KeyPath<Data.Element, ID>
  let content: @MainActor (Data.Element) -> Content

  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping @MainActor (Data.Element) -> Content
  ) {
    self.data = data
    self.id = id
    self.content = content
  }

  public func update(_ node: Node) {
    for element in data {
      node.child(node.observe { content(element) }, id: ChildID(element[keyPath: id]))
    }
  }
}

extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
  public init(_ data: Data, @ViewBuilder content: @escaping @MainActor (Data.Element) -> Content) {
    self.init(data, id: \.id, content: content)
  }
}

/// Groups several views into one node; they become items of the surrounding stack.
public struct Group: PrimitiveView {
  let content: AnyView

  public init<Content: View>(@ViewBuilder content: () -> Content) {
    self.content = AnyView(content())
  }

  public func update(_ node: Node) { node.child(content) }
}

/// Tells a child of a node from its siblings with the same type of view: what the parent calls it, and
/// its way through nested builders.
struct ChildID: Hashable {
  enum Branch: UInt64 { case first, second }

  /// The id of an element; nil where the place is enough.
  private var element: ElementID?
  /// The way after a leading 1: `1b` for a branch, `0` and six bits for one of several views. No code
  /// begins another one, so different ways differ.
  private var way: UInt64 = 1

  init() {}

  init(_ element: some Hashable) { self.element = TypedID(element) }

  /// One branch of an `if` or a `switch` in this place.
  func branch(_ branch: Branch) -> ChildID { going(0b10 | branch.rawValue, bits: 2) }

  /// One of several views in this place, counted from 0.
  func view(_ index: Int) -> ChildID {
    let (position, last) = (UInt64(index), UInt64(63))
    guard position >= last else { return going(position, bits: 7) }
    return going(last, bits: 7).view(index - Int(last))
  }

  private func going(_ code: UInt64, bits: Int) -> ChildID {
    guard way.leadingZeroBitCount >= bits else {
      // No room: the way so far becomes an element's id.
      return ChildID(self).going(code, bits: bits)
    }
    var id = self
    id.way = way << UInt64(bits) | code
    return id
  }
}

/// An element's id of any type. Not `AnyHashable`: for each type that is put in one, the runtime looks
/// for a conformance among all of the program, before the first frame.
private class ElementID: Hashable {
  func isEqual(to other: ElementID) -> Bool { false }
  func hash(into hasher: inout Hasher) {}

  static func == (one: ElementID, other: ElementID) -> Bool { one.isEqual(to: other) }
}

private final class TypedID<Value: Hashable>: ElementID {
  private let value: Value

  init(_ value: Value) { self.value = value }

  override func isEqual(to other: ElementID) -> Bool { (other as? TypedID<Value>)?.value == value }

  override func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
