/// A vertical stack.
public struct VStack: PrimitiveView {
  let layout: StackLayout
  let content: AnyView

  public init<Content: View>(
    alignment: HorizontalAlignment = .leading, spacing: Int = 0,
    @ViewBuilder content: () -> Content
  ) {
    layout = StackLayout(axis: .vertical, horizontal: alignment, vertical: .top, spacing: spacing)
    self.content = AnyView(content())
  }

  public func update(_ node: Node) {
    node.layout = layout
    node.child(content)
  }
}

/// A horizontal stack.
public struct HStack: PrimitiveView {
  let layout: StackLayout
  let content: AnyView

  public init<Content: View>(
    alignment: VerticalAlignment = .top, spacing: Int = 0, @ViewBuilder content: () -> Content
  ) {
    layout = StackLayout(
      axis: .horizontal, horizontal: .leading, vertical: alignment, spacing: spacing)
    self.content = AnyView(content())
  }

  public func update(_ node: Node) {
    node.layout = layout
    node.child(content)
  }
}

/// Takes the remaining space in a stack.
public struct Spacer: PrimitiveView, LayoutElement {
  let minLength: Int
  public var spacerLength: Int? { minLength }

  public init(minLength: Int = 0) { self.minLength = minLength }

  public func update(_ node: Node) { node.layout = self }

  public func measure(_ node: Node, _ proposal: Size) -> Size { proposal }
}

/// Two panes with a divider that can be dragged and meets the rules above and below; the side pane is
/// at the right.
package struct SplitPanes: PrimitiveView, LayoutElement {
  /// Width of the side pane in cells.
  let sideWidth: Int
  /// Called with the change of the side pane's width in cells; nil keeps the divider where it is.
  let onDrag: (@MainActor (Int) -> Void)?
  let main: Group
  let side: Group

  package init<Main: View, Side: View>(
    sideWidth: Int, onDrag: (@MainActor (Int) -> Void)? = nil,
    @ViewBuilder main: () -> Main, @ViewBuilder side: () -> Side
  ) {
    self.sideWidth = sideWidth
    self.onDrag = onDrag
    self.main = Group(content: main)
    self.side = Group(content: side)
  }

  package func update(_ node: Node) {
    let drag = (node.storage as? SplitDrag) ?? SplitDrag()
    drag.onDrag = onDrag
    node.storage = drag
    node.mouse = onDrag == nil ? nil : drag
    node.layout = self
    node.child(main, id: ChildID().view(0))
    node.child(VerticalRule())
    node.child(side, id: ChildID().view(1))
  }

  package func measure(_ node: Node, _ proposal: Size) -> Size { proposal }

  package func place(_ node: Node, in rect: Rect) {
    guard node.children.count == 3 else { return }
    let sideWidth = max(0, min(sideWidth, rect.width - 1))
    let mainWidth = max(0, rect.width - 1 - sideWidth)
    let line = rect.minX + mainWidth
    (node.storage as? SplitDrag)?.line = line
    func place(_ child: Int, _ x: Int, _ width: Int) {
      for item in node.children[child].layoutItems {
        item.place(in: Rect(x: x, y: rect.minY, width: width, height: rect.height))
      }
    }
    place(0, rect.minX, mainWidth)
    place(1, line, 1)
    place(2, line + 1, sideWidth)
  }

  package func draw(_ node: Node, _ canvas: Canvas) {
    for item in node.items { item.draw(canvas) }
    if let drag = node.storage as? SplitDrag {
      canvas.extendRule(upFrom: Point(x: drag.line, y: node.frame.minY), style: .rule)
    }
  }
}

/// Drag state of the divider.
@MainActor private final class SplitDrag: MouseTarget {
  var onDrag: (@MainActor (Int) -> Void)?
  /// Column of the divider.
  var line = 0
  private var isHeld = false

  func handle(_ event: MouseEvent) -> Bool {
    switch event.kind {
    case .press where event.button == 0 && event.position.x == line: isHeld = true
    case .press: return false
    case .drag where isHeld:
      let cells = event.position.x - line
      if cells != 0 { onDrag?(-cells) }
    case .release where isHeld: isHeld = false
    default: return false
    }
    return true
  }
}

/// A vertical line between two panes.
public struct VerticalRule: PrimitiveView, LayoutElement {
  let style: Style

  public init(_ style: Style = .rule) { self.style = style }

  public func update(_ node: Node) { node.layout = self }

  public func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(width: min(1, proposal.width), height: proposal.height)
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    canvas.rule(node.frame, glyph: "│", style: style)
  }
}
