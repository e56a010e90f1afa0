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
  public var body: Never { fatalError("a primitive view has no body") }
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

@resultBuilder @MainActor public enum ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<V: View>(_ view: V) -> V { view }
  public static func buildBlock<each V: View>(_ view: repeat each V) -> TupleView<repeat each V> {
    TupleView(views: (repeat each view))
  }
  public static func buildIf<V: View>(_ view: V?) -> OptionalView<V> { OptionalView(view: view) }
  public static func buildEither<A: View, B: View>(first: A) -> EitherView<A, B> { .first(first) }
  public static func buildEither<A: View, B: View>(second: B) -> EitherView<A, B> {
    .second(second)
  }
  public static func buildLimitedAvailability<V: View>(_ view: V) -> AnyView { AnyView(view) }
}

public struct EmptyView: PrimitiveView {
  public init() {}
  public func update(_ node: Node) {}
}

public struct TupleView<each V: View>: PrimitiveView {
  let views: (repeat each V)

  public func update(_ node: Node) {
    var index = 0
    for view in repeat each views {
      node.child(view, id: index)
      index += 1
    }
  }
}

public struct OptionalView<V: View>: PrimitiveView {
  let view: V?

  public func update(_ node: Node) {
    if let view { node.child(view) }
  }
}

public enum EitherView<A: View, B: View>: PrimitiveView {
  case first(A)
  case second(B)

  public func update(_ node: Node) {
    switch self {
    case .first(let view): node.child(view, id: 1)
    case .second(let view): node.child(view, id: 2)
    }
  }
}

/// A view whose type is not told; its state is kept while the type inside stays the same.
public struct AnyView: PrimitiveView {
  private let visit: @MainActor (Node) -> Void

  public init(_ view: some View) { visit = { $0.child(view) } }

  public func update(_ node: Node) { visit(node) }
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
public struct Group<Content: View>: PrimitiveView {
  let content: Content

  public init(@ViewBuilder content: () -> Content) { self.content = content() }

  public func update(_ node: Node) { node.child(content) }
}
