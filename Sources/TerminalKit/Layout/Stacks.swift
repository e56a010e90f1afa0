/// A vertical stack.
public struct VStack: PrimitiveView {
  let layout: StackLayout
  let content: AnyView

  public init<Content: View>(
    alignment: HorizontalAlignment = .leading, spacing: Int = 0,
    @ViewBuilder content: () -> Content
  ) {
    layout = StackLayout(
      axis: .vertical, horizontal: alignment, vertical: .top, spacing: spacing)
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
