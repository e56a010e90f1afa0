/// Content with an optional modal sheet over it.
struct ModalView<Item>: PrimitiveView {
  let content: AnyView
  let item: Binding<Item?>
  let sheet: @MainActor (Item) -> AnyView

  public func update(_ node: Node) {
    node.child(content)
    guard let shown = node.observe({ item.wrappedValue }) else { return }
    let view = node.observe { sheet(shown) }
    node.child(SheetView(content: view, dismiss: { item.wrappedValue = nil }))
  }
}

/// The modal sheet: centred; on a compact terminal it has the screen, but for the last row, in which
/// its keys are.
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
    node.child(OverflowView(content: content))
  }

  func measure(_ node: Node, _ proposal: Size) -> Size { proposal }

  func place(_ node: Node, in rect: Rect) {
    guard !node.environment.isPlain else {
      return placeContent(node, in: rect.inset(by: PlainFrame.insets))
    }
    let isCompact = rect.size.isCompact
    var area = rect
    area.size.height = rect.size.sheetHeight
    var size = measureContent(node, area.size)
    if isCompact { size.width = area.width }
    size.width = min(size.width, area.width)
    size.height = min(size.height, area.height)
    let alignment = isCompact ? Alignment.topLeading : .center
    placeContent(node, in: alignment.place(size, in: area))
  }

  func draw(_ node: Node, _ canvas: Canvas) {
    let screen = node.frame
    if !canvas.isPlain, screen.size.isCompact {
      canvas.fill(
        Rect(
          x: screen.minX, y: screen.minY, width: screen.width, height: screen.size.sheetHeight))
    }
    for item in node.items {
      // Only what is framed is erased: a sheet may be wider or higher than its box.
      canvas.fill(canvas.isPlain ? item.frame : Self.framed(item).intersection(item.frame))
      // A selection or text field inside moves the cursor from here.
      if canvas.isPlain { canvas.setCursor(item.frame.origin, isVisible: true) }
      item.draw(canvas)
    }
  }

  /// The frame of the box, whatever holds it.
  private static func framed(_ node: Node) -> Rect {
    guard node.layout is any WrappingLayout, !(node.layout is Box), node.items.count == 1 else {
      return node.frame
    }
    return framed(node.items[0])
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
