/// Content whose first cell the cursor rests on while it is what keys act on.
struct CursorParking: PrimitiveView, WrappingLayout {
  let content: AnyView
  let isParked: Bool

  func update(_ node: Node) {
    node.layout = self
    node.child(content)
  }

  func measure(_ node: Node, _ proposal: Size) -> Size { measureContent(node, proposal) }
  func place(_ node: Node, in rect: Rect) { placeContent(node, in: rect) }

  func draw(_ node: Node, _ canvas: Canvas) {
    // What is inside may know better, such as a field.
    if isParked { canvas.setCursor(node.frame.origin, isVisible: canvas.isPlain) }
    for item in node.items { item.draw(canvas) }
  }
}

extension View {
  /// Rests the cursor here, where screen readers and input methods look for it.
  func parksCursor(_ isParked: Bool = true) -> some View {
    CursorParking(content: AnyView(self), isParked: isParked)
  }
}
