/// Content with something over it that keeps every key to itself.
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

/// What stands over the rest: centred, or as wide as the screen where that is narrow.
///
/// For a screen reader it takes the place of the content instead: what stood beside it would be read
/// with it.
struct SheetView: PrimitiveView, WrappingLayout {
  let content: AnyView
  let dismiss: @MainActor () -> Void

  func update(_ node: Node) {
    node.layout = self
    node.isOverlay = true
    node.isModal = true
    node.actionHandlers = [
      ActionHandler(id: .back, disabledReason: nil, isGlobal: false, run: dismiss)
    ]
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
      // Whatever is selected or typed into takes it from here.
      if canvas.isPlain { canvas.setCursor(item.frame.origin, isVisible: true) }
      item.draw(canvas)
    }
  }
}

extension View {
  /// Shows something over the whole screen while `item` is there.
  ///
  /// It takes all keys but those of handlers marked global; `back` (Esc) sets the item to nil,
  /// unless the modal handles that action itself.
  public func modal<Item>(
    item: Binding<Item?>, @ViewBuilder content: @escaping @MainActor (Item) -> some View
  ) -> some View {
    ModalView(content: AnyView(self), item: item, sheet: { AnyView(content($0)) })
  }
}
