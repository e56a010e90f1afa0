import RallyDomain

/// A piece of the interface: a value that says what is there, made anew whenever that changes.
@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }

  /// Fills a node with this view. The graph calls it; no view needs one of its own.
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

/// A view that configures its node itself instead of being made of others.
@MainActor public protocol PrimitiveView: View where Body == Never {
  /// Visits the children and says how the node is laid out and drawn.
  ///
  /// Bindings and builders are read through `node.observe`, so that a change runs this again.
  func update(_ node: Node)
}

extension PrimitiveView {
  public func mount(on node: Node) { node.rebuildChildren { update(node) } }

  public var body: Never { fatalError("a primitive view has no body") }
}

/// Lets views be written below each other, with `if`, `switch` and nothing between them.
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

/// Nothing: it takes no place in a stack.
public struct EmptyView: PrimitiveView {
  public init() {}
  public func update(_ node: Node) {}
}

/// The views of one builder, side by side in whatever stands around them.
public struct TupleView: PrimitiveView {
  let views: [AnyView]

  public func update(_ node: Node) {
    for (index, view) in views.enumerated() { node.child(view, id: index) }
  }
}

/// What an `if` without `else` gives.
public struct OptionalView: PrimitiveView {
  let view: AnyView?

  public func update(_ node: Node) {
    if let view { node.child(view) }
  }
}

/// What `if` with `else` and `switch` give; each branch is an identity of its own.
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

/// A view whose type is not told; its state is kept while the type inside stays the same.
///
/// Stacks and modifiers hold their content so. Would they name its type, nearly every place of the
/// interface had a type of its own, nested as deep as the views; the runtime makes each of them when it
/// is first needed, looking through all conformances of the program, and that was a fifth of the
/// time to the first frame.
public struct AnyView: PrimitiveView {
  /// Puts what is inside in the place of a child.
  let visit: @MainActor (Node, AnyHashable, EnvironmentValues?) -> Node

  public init<V: View>(_ view: V) {
    if V.self == AnyView.self, let view = view as? AnyView {
      self = view
    } else {
      visit = { $0.child(view, id: $1, environment: $2) }
    }
  }

  public func update(_ node: Node) { _ = visit(node, 0, nil) }
}

/// A view for each element, known by `id`: state follows the element wherever it moves.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {
  let data: Data
  let id: KeyPath<Data.Element, ID>
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

/// Several views where one is asked for; they join the surrounding stack.
public struct Group: PrimitiveView {
  let content: AnyView

  public init<Content: View>(@ViewBuilder content: () -> Content) {
    self.content = AnyView(content())
  }

  public func update(_ node: Node) { node.child(content) }
}
