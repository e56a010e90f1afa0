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
  public static func buildBlock() -> AnyView { AnyView(EmptyView()) }
  public static func buildBlock(_ view: some View) -> AnyView { AnyView(view) }
  public static func buildBlock<each V: View>(_ view: repeat each V) -> AnyView {
    var views: [AnyView] = []
    for view in repeat each view { views.append(AnyView(view)) }
    return AnyView(TupleView(views: views))
  }
  public static func buildIf(_ view: AnyView?) -> AnyView { AnyView(OptionalView(view: view)) }
  public static func buildEither(first: AnyView) -> AnyView { AnyView(EitherView.first(first)) }
  public static func buildEither(second: AnyView) -> AnyView { AnyView(EitherView.second(second)) }
  public static func buildLimitedAvailability(_ view: AnyView) -> AnyView { view }
}

/// No content; takes no space in a stack.
public struct EmptyView: PrimitiveView {
  public init() {}
  public func update(_ node: Node) {}
}

/// The views of one builder block; they become items of the surrounding container.
public struct TupleView: PrimitiveView {
  let views: [AnyView]

  public func update(_ node: Node) {
    for (index, view) in views.enumerated() { node.child(view, id: index) }
  }
}

/// The result of an `if` without `else` in a builder.
public struct OptionalView: PrimitiveView {
  let view: AnyView?

  public func update(_ node: Node) {
    if let view { node.child(view) }
  }
}

/// The result of `if`/`else` and `switch` in a builder; each branch has an identity of its own.
public enum EitherView: PrimitiveView {
  case first(AnyView)
  case second(AnyView)

  public func update(_ node: Node) {
    switch self {
    case .first(let view): node.child(view, id: 1)
    case .second(let view): node.child(view, id: 2)
    }
  }
}

/// A type-erased view. Its state is kept while the type inside stays the same.
///
/// Stacks and modifiers use it to avoid deeply nested generic types: the runtime instantiates each
/// such type on first use and scans all conformances of the program for it, which took a fifth of
/// the time to the first frame.
///
/// A view that shows a content which it was given, and runs again by itself, adds the same `AnyView`
/// again: then the content is not updated.
public struct AnyView: PrimitiveView {
  /// Tells one wrapped value from another; copies of an `AnyView` share it.
  typealias ID = Int

  private static var lastID: ID = 0

  /// Adds the wrapped view as a child.
  let visit: @MainActor (Node, AnyHashable, EnvironmentValues?) -> Node

  public init<V: View>(_ view: V) {
    if V.self == AnyView.self, let view = view as? AnyView {
      self = view
    } else {
      Self.lastID += 1
      let source = Self.lastID
      visit = { $0.child(view, from: source, id: $1, environment: $2) }
    }
  }

  public func update(_ node: Node) { _ = visit(node, 0, nil) }
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
      node.child(node.observe { content(element) }, id: AnyHashable(element[keyPath: id]))
    }
  }
}

extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
  public init(
    _ data: Data, @ViewBuilder content: @escaping @MainActor (Data.Element) -> Content
  ) {
    self.init(data, id: \.id, content: content)
  }
}

/// Groups several views into one; they become items of the surrounding stack.
public struct Group: PrimitiveView {
  let content: AnyView

  public init<Content: View>(@ViewBuilder content: () -> Content) {
    self.content = AnyView(content())
  }

  public func update(_ node: Node) { node.child(content) }
}
