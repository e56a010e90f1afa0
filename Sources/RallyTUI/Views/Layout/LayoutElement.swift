/// How a node measures itself, places what is in it, and draws.
///
/// Sizes are proposed from above and chosen below; a node may be placed smaller than it wished and
/// is clipped then. Layout and drawing are not observed.
@MainActor public protocol LayoutElement {
  /// The size chosen for a proposal. Asked with 0 and with all there is to learn what bends.
  func measure(_ node: Node, _ proposal: Size) -> Size
  func place(_ node: Node, in rect: Rect)
  func draw(_ node: Node, _ canvas: Canvas)
  /// Higher ones get their wish first; the same for as long as the view's identity lives.
  var priority: Int { get }
}

extension LayoutElement {
  public var priority: Int { 0 }

  public func place(_ node: Node, in rect: Rect) {}

  public func draw(_ node: Node, _ canvas: Canvas) {
    for item in node.items { item.draw(canvas) }
  }
}

/// Layout of a node around its content; several views inside stand below each other.
@MainActor protocol WrappingLayout: LayoutElement {}

extension WrappingLayout {
  var inner: StackLayout {
    StackLayout(axis: .vertical, horizontal: .leading, vertical: .top, spacing: 0)
  }

  func measureContent(_ node: Node, _ proposal: Size) -> Size {
    let items = node.items
    return items.count == 1 ? items[0].measure(proposal) : inner.measure(node, proposal)
  }

  func placeContent(_ node: Node, in rect: Rect) {
    let items = node.items
    if items.count == 1 { items[0].place(in: rect) } else { inner.place(node, in: rect) }
  }
}
