/// A horizontal line, joined with the vertical rules that it meets.
public struct Rule: PrimitiveView, LayoutElement {
  let style: Style

  public init(_ style: Style = .rule) { self.style = style }

  public func update(_ node: Node) { node.layout = self }

  public func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(width: proposal.width, height: min(1, proposal.height))
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    canvas.rule(node.frame, glyph: "─", style: style)
  }
}

/// A rounded border with a title, for content that floats over the rest.
public struct Box: PrimitiveView, WrappingLayout {
  let title: String
  let style: Style
  let content: AnyView

  public init<Content: View>(
    title: String = "", style: Style = .rule, @ViewBuilder content: () -> Content
  ) {
    self.title = title
    self.style = style
    self.content = AnyView(content())
  }

  public func update(_ node: Node) {
    node.layout = self
    node.child(content)
  }

  public func measure(_ node: Node, _ proposal: Size) -> Size {
    if node.environment.isPlain {
      let inside = measureContent(
        node, Size(width: proposal.width, height: max(0, proposal.height - 1)))
      return Size(width: proposal.width, height: inside.height + 1)
    }
    let inside = measureContent(
      node, Size(width: max(0, proposal.width - 4), height: max(0, proposal.height - 2)))
    let titleWidth = title.isEmpty ? 0 : title.cellWidth + 2
    return Size(
      width: min(max(inside.width, titleWidth) + 4, max(proposal.width, 4)),
      height: inside.height + 2)
  }

  public func place(_ node: Node, in rect: Rect) {
    let insets =
      node.environment.isPlain
      ? EdgeInsets(top: 1, leading: 0, bottom: 0, trailing: 0)
      : EdgeInsets(top: 1, leading: 2, bottom: 1, trailing: 2)
    placeContent(node, in: rect.inset(by: insets))
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    canvas.fill(node.frame)
    if node.environment.isPlain {
      canvas.draw(title.truncated(toCells: node.frame.width), at: node.frame.origin, style: .title)
      for item in node.items { item.draw(canvas) }
      return
    }
    canvas.border(node.frame, style: style)
    if !title.isEmpty, node.frame.width > 6 {
      let text = " " + title.truncated(toCells: node.frame.width - 6) + " "
      canvas.draw(text, at: Point(x: node.frame.minX + 2, y: node.frame.minY), style: .title)
    }
    for item in node.items { item.draw(canvas) }
  }
}

/// A view that draws its cells with a closure and fills the space it is offered.
public struct CanvasView: PrimitiveView, LayoutElement {
  let paint: @MainActor (Canvas, Rect) -> Void
  let onMouse: (@MainActor (MouseEvent, Rect) -> Bool)?

  /// - Parameters:
  ///   - paint: Draws in absolute positions within the rectangle. Drawing is not observed, so it
  ///     must not read observable state; capture values in the view's body instead.
  ///   - onMouse: Handles mouse events over the rectangle; returns true to consume the event.
  public init(
    _ paint: @escaping @MainActor (Canvas, Rect) -> Void,
    onMouse: (@MainActor (MouseEvent, Rect) -> Bool)? = nil
  ) {
    self.paint = paint
    self.onMouse = onMouse
  }

  public func update(_ node: Node) {
    node.layout = self
    node.mouse = onMouse.map { CanvasMouse(node: node, perform: $0) }
  }

  public func measure(_ node: Node, _ proposal: Size) -> Size { proposal }

  public func draw(_ node: Node, _ canvas: Canvas) { paint(canvas, node.frame) }
}

@MainActor private final class CanvasMouse: MouseTarget {
  private weak var node: Node?
  private let perform: @MainActor (MouseEvent, Rect) -> Bool

  init(node: Node, perform: @escaping @MainActor (MouseEvent, Rect) -> Bool) {
    self.node = node
    self.perform = perform
  }

  func handle(_ event: MouseEvent) -> Bool {
    guard let node else { return false }
    return perform(event, node.frame)
  }
}
