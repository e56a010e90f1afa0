/// Rests the cursor on the content's first cell while `isParked`.
struct CursorAnchor: PrimitiveView, WrappingLayout {
  let content: AnyView
  let isParked: Bool

  func update(_ node: Node) {
    node.layout = self
    node.child(content)
  }

  func measure(_ node: Node, _ proposal: Size) -> Size { measureContent(node, proposal) }
  func place(_ node: Node, in rect: Rect) { placeContent(node, in: rect) }

  func draw(_ node: Node, _ canvas: Canvas) {
    // The content, such as a text field, may move the cursor.
    if isParked { canvas.setCursor(node.frame.origin, isVisible: canvas.isPlain) }
    for item in node.items { item.draw(canvas) }
  }
}

extension View {
  /// Rests the cursor here, for screen readers and input methods.
  package func anchorsCursor(_ isParked: Bool = true) -> some View {
    CursorAnchor(content: AnyView(self), isParked: isParked)
  }
}
