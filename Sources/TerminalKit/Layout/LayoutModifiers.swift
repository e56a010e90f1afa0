struct FixedFrame: WrappingView {
  let content: AnyView
  let width: Int?
  let height: Int?
  let alignment: Alignment

  func measure(_ node: Node, _ proposal: Size) -> Size {
    let offered = Size(width: width ?? proposal.width, height: height ?? proposal.height)
    let size = measureContent(node, offered)
    return Size(width: width ?? size.width, height: height ?? size.height)
  }

  func place(_ node: Node, in rect: Rect) {
    let size = measureContent(node, rect.size)
    placeContent(node, in: alignment.place(size, in: rect))
  }
}

struct FlexibleFrame: WrappingView {
  let content: AnyView
  let minWidth: Int?
  let maxWidth: Int?
  let minHeight: Int?
  let maxHeight: Int?
  let alignment: Alignment

  func measure(_ node: Node, _ proposal: Size) -> Size {
    let offered = Size(
      width: clamp(proposal.width, minWidth, maxWidth),
      height: clamp(proposal.height, minHeight, maxHeight))
    let size = measureContent(node, offered)
    return Size(
      width: maxWidth == nil ? max(size.width, minWidth ?? 0) : max(offered.width, minWidth ?? 0),
      height: maxHeight == nil
        ? max(size.height, minHeight ?? 0) : max(offered.height, minHeight ?? 0))
  }

  func place(_ node: Node, in rect: Rect) {
    let size = measureContent(node, rect.size)
    placeContent(node, in: alignment.place(size, in: rect))
  }

  private func clamp(_ value: Int, _ low: Int?, _ high: Int?) -> Int {
    max(low ?? 0, min(value, high ?? value))
  }
}

struct PaddingView: WrappingView {
  let content: AnyView
  let insets: EdgeInsets

  func measure(_ node: Node, _ proposal: Size) -> Size {
    let across = insets.leading + insets.trailing
    let down = insets.top + insets.bottom
    let size = measureContent(
      node, Size(width: max(0, proposal.width - across), height: max(0, proposal.height - down)))
    return Size(width: size.width + across, height: size.height + down)
  }

  func place(_ node: Node, in rect: Rect) { placeContent(node, in: rect.inset(by: insets)) }
}

struct StyledView: WrappingView {
  let content: AnyView
  let style: Style
  let fills: Bool

  func draw(_ node: Node, _ canvas: Canvas) {
    let canvas = canvas.styled(style)
    if fills { canvas.fill(node.frame) }
    for item in node.items { item.draw(canvas) }
  }
}

struct PriorityView: WrappingView {
  let content: AnyView
  let priority: Int
}

extension View {
  /// Fixes the view's size along the given axes, in cells.
  public func frame(
    width: Int? = nil, height: Int? = nil, alignment: Alignment = .topLeading
  ) -> some View {
    FixedFrame(content: AnyView(self), width: width, height: height, alignment: alignment)
  }

  /// Limits the view's size, in cells; a maximum of `.max` fills the available space.
  public func frame(
    minWidth: Int? = nil, maxWidth: Int? = nil, minHeight: Int? = nil, maxHeight: Int? = nil,
    alignment: Alignment = .topLeading
  ) -> some View {
    FlexibleFrame(
      content: AnyView(self), minWidth: minWidth, maxWidth: maxWidth, minHeight: minHeight,
      maxHeight: maxHeight, alignment: alignment)
  }

  public func padding(
    top: Int = 0, leading: Int = 0, bottom: Int = 0, trailing: Int = 0
  ) -> some View {
    PaddingView(
      content: AnyView(self),
      insets: EdgeInsets(top: top, leading: leading, bottom: bottom, trailing: trailing))
  }

  public func padding(horizontal: Int = 0, vertical: Int = 0) -> some View {
    PaddingView(
      content: AnyView(self),
      insets: EdgeInsets(
        top: vertical, leading: horizontal, bottom: vertical, trailing: horizontal))
  }

  public func padding(_ length: Int) -> some View { padding(horizontal: length, vertical: length) }

  /// Sets the inherited style; roles set by views inside are kept.
  public func style(_ style: Style, fills: Bool = false) -> some View {
    StyledView(content: AnyView(self), style: style, fills: fills)
  }

  /// Gets space before siblings of lower priority in a stack; the default is 0.
  public func layoutPriority(_ priority: Int) -> some View {
    PriorityView(content: AnyView(self), priority: priority)
  }
}
