/// Layout and drawing of a node.
///
/// Containers propose sizes, children choose; a node may be placed smaller than its chosen size and
/// is clipped then. Layout and drawing are not observed.
@MainActor public protocol LayoutElement {
  /// The size chosen for a proposal. Called with 0 and with the maximum to find out the
  /// flexibility.
  func measure(_ node: Node, _ proposal: Size) -> Size
  func place(_ node: Node, in rect: Rect)
  func draw(_ node: Node, _ canvas: Canvas)
  /// Higher priority is given space first. Must not change during the lifetime of the view's
  /// identity.
  var priority: Int { get }
  /// The least length of a spacer; nil for what has a size of its own.
  var spacerLength: Int? { get }
}

extension LayoutElement {
  public var priority: Int { 0 }
  public var spacerLength: Int? { nil }

  public func place(_ node: Node, in rect: Rect) {}

  public func draw(_ node: Node, _ canvas: Canvas) {
    for item in node.items { item.draw(canvas) }
  }
}

/// Layout of a node with content inside; several views are stacked vertically.
@MainActor package protocol WrappingLayout: LayoutElement {}

extension WrappingLayout {
  var inner: StackLayout {
    StackLayout(axis: .vertical, horizontal: .leading, vertical: .top, spacing: 0)
  }

  package func measureContent(_ node: Node, _ proposal: Size) -> Size {
    let items = node.items
    return items.count == 1 ? items[0].measure(proposal) : inner.measure(node, proposal)
  }

  package func placeContent(_ node: Node, in rect: Rect) {
    let items = node.items
    if items.count == 1 { items[0].place(in: rect) } else { inner.place(node, in: rect) }
  }
}
