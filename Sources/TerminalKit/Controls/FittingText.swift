/// The first of several texts that fits into its room, in one line; nothing where none does.
///
/// In a stack it needs a lower priority than what it gives way to.
public struct FittingText: PrimitiveView, LayoutElement {
  let texts: [String]
  let style: Style

  /// - Parameter texts: The longest first.
  public init(_ texts: [String], _ style: Style = .normal) {
    self.texts = texts
    self.style = style
  }

  public func update(_ node: Node) { node.layout = self }

  public func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(
      width: text(fitting: proposal.width)?.cellWidth ?? 0, height: min(1, proposal.height))
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    guard let text = text(fitting: node.frame.width) else { return }
    canvas.draw(text, at: node.frame.origin, style: style)
  }

  private func text(fitting width: Int) -> String? { texts.first { $0.cellWidth <= width } }
}
