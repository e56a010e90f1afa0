/// Content with an optional modal sheet over it.
struct ModalView<Item>: PrimitiveView {
  let content: AnyView
  let item: Binding<Item?>
  let sheet: @MainActor (Item) -> AnyView

  public func update(_ node: Node) {
    node.child(content, id: 0)
    guard let shown = node.observe({ item.wrappedValue }) else { return }
    let view = node.observe { sheet(shown) }
    node.child(SheetView(content: view, dismiss: { item.wrappedValue = nil }), id: 1)
  }
}

/// The modal sheet: centred, or full width on screens narrower than 60 columns.
///
/// In plain mode it replaces the content, which a screen reader would otherwise read along with it.
struct SheetView: PrimitiveView, WrappingLayout {
  let content: AnyView
  let dismiss: @MainActor () -> Void

  func update(_ node: Node) {
    node.layout = self
    node.isOverlay = true
    node.isModal = true
    node.actionHandlers = [ActionHandler(.back, dismiss)]
    node.child(content)
  }

  func measure(_ node: Node, _ proposal: Size) -> Size { proposal }

  func place(_ node: Node, in rect: Rect) {
    guard !node.environment.isPlain else {
      return placeContent(node, in: rect.inset(by: PlainFrame.insets))
    }
    var size = measureContent(node, rect.size)
    if rect.width < 60 { size.width = rect.width }
    size.width = min(size.width, rect.width)
    size.height = min(size.height, rect.height)
    placeContent(node, in: Alignment.center.place(size, in: rect))
  }

  func draw(_ node: Node, _ canvas: Canvas) {
    for item in node.items {
      canvas.fill(item.frame)
      // A selection or text field inside moves the cursor from here.
      if canvas.isPlain { canvas.setCursor(item.frame.origin, isVisible: true) }
      item.draw(canvas)
    }
  }
}

extension View {
  /// Shows a modal sheet over the whole screen while `item` is not nil.
  ///
  /// It receives all keys except those of handlers marked global. `back` (Esc) sets the item to nil
  /// unless the sheet handles that action itself.
  public func modal<Item>(
    item: Binding<Item?>, @ViewBuilder content: @escaping @MainActor (Item) -> some View
  ) -> some View {
    ModalView(content: AnyView(self), item: item, sheet: { AnyView(content($0)) })
  }
}
