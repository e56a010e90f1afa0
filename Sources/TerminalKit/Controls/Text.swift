/// One line of text in one style, truncated with `…`.
public struct Text: PrimitiveView, LayoutElement {
  let line: Line

  public init(_ text: some StringProtocol, _ style: Style = .normal) {
    line = Line([Span(text, style)])
  }

  public func update(_ node: Node) { line.update(node) }

  public func measure(_ node: Node, _ proposal: Size) -> Size { line.measure(node, proposal) }
}

/// A run of text in one style.
public struct Span: Hashable, Sendable {
  public var text: String
  public var style: Style

  public init(_ text: some StringProtocol, _ style: Style = .normal) {
    self.text = String(text)
    self.style = style
  }
}

/// One line of runs in different styles, truncated with `…`.
public struct Line: PrimitiveView, LayoutElement {
  let spans: [Span]
  let width: Int

  public init(_ spans: [Span]) {
    self.spans = spans
    width = spans.reduce(0) { $0 + $1.text.cellWidth }
  }

  public init(_ spans: Span...) { self.init(spans) }

  public func update(_ node: Node) { node.layout = self }

  public func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(width: min(width, proposal.width), height: min(1, proposal.height))
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    var room = node.frame.width
    var isCut = width > room
    var point = node.frame.origin
    for span in spans where room > 0 {
      let own = span.text.cellWidth
      let isLast = isCut && own >= room
      let text = isLast ? cut(span.text, room) : span.text
      let used = canvas.draw(text, at: point, style: span.style)
      point.x += used
      room -= used
      if isLast {
        isCut = false
        room = 0
      }
    }
  }

  /// Truncates to `room` cells with `…` at the end, even if the text alone would just fit.
  private func cut(_ text: String, _ room: Int) -> String {
    let shortened = text.truncated(toCells: room)
    return shortened.hasSuffix("…") ? shortened : (text + "…").truncated(toCells: room)
  }
}

/// Text that wraps into several lines.
public struct Paragraph: PrimitiveView, LayoutElement {
  package let text: String
  let style: Style
  let lineLimit: Int?

  /// - Parameter lineLimit: The most lines; the last one ends in `…` if there are more.
  public init(_ text: some StringProtocol, _ style: Style = .normal, lineLimit: Int? = nil) {
    self.text = String(text)
    self.style = style
    self.lineLimit = lineLimit
  }

  private func lines(in width: Int) -> [String] {
    let lines = text.wrapped(toCells: width)
    guard let lineLimit, lines.count > lineLimit, lineLimit > 0 else { return lines }
    let rest = lines[(lineLimit - 1)...].joined(separator: " ")
    return lines.prefix(lineLimit - 1) + [rest.truncated(toCells: width)]
  }

  public func update(_ node: Node) { node.layout = self }

  public func measure(_ node: Node, _ proposal: Size) -> Size {
    let lines = lines(in: proposal.width)
    return Size(
      width: lines.map(\.cellWidth).max() ?? 0, height: min(lines.count, proposal.height))
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    for (offset, line) in lines(in: node.frame.width).prefix(node.frame.height).enumerated() {
      canvas.draw(
        line, at: Point(x: node.frame.minX, y: node.frame.minY + offset), style: style)
    }
  }
}
