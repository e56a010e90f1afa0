/// One line of text in one style, truncated with `…`.
public struct Text: PrimitiveView, LayoutElement {
  let line: Line

  public init(_ text: some StringProtocol, _ style: Style = .normal) { line = Line(text, style) }

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

  public init(_ text: some StringProtocol, _ style: Style = .normal) {
    self.init([Span(text, style)])
  }

  public func update(_ node: Node) { node.layout = self }

  public func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(width: min(width, proposal.width), height: min(1, proposal.height))
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    draw(at: node.frame.origin, width: node.frame.width, canvas)
  }

  /// - Parameter width: The room, in cells; what is wider is truncated.
  fileprivate func draw(at origin: Point, width room: Int, _ canvas: Canvas) {
    var room = room
    var isCut = width > room
    var point = origin
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

/// Lines below each other, each truncated with `…`; the last ones are left out where there is no
/// room for all.
///
/// One node, where a stack of lines has two or three a line, and asks each for its size.
public struct Lines: PrimitiveView, LayoutElement {
  let lines: [Line]
  let perform: (@MainActor (Int) -> Void)?
  public private(set) var priority = 0

  /// - Parameter onClick: Called with the index of a line that the left mouse button is pressed
  ///   over. Every click action must also have a key binding.
  public init(_ lines: [Line], onClick perform: (@MainActor (Int) -> Void)? = nil) {
    self.lines = lines
    self.perform = perform
  }

  /// As for any view, without a node of its own.
  public func layoutPriority(_ priority: Int) -> Lines {
    var lines = self
    lines.priority = priority
    return lines
  }

  public func update(_ node: Node) {
    node.layout = self
    node.mouse = perform.map { perform in
      ClickTarget { [weak node, count = lines.count] point in
        guard let node else { return false }
        let index = point.y - node.frame.minY
        guard (0..<count).contains(index) else { return false }
        perform(index)
        return true
      }
    }
  }

  public func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(
      width: min(lines.map(\.width).max() ?? 0, proposal.width),
      height: min(lines.count, proposal.height))
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    let frame = node.frame
    for (offset, line) in lines.prefix(frame.height).enumerated() {
      line.draw(at: Point(x: frame.minX, y: frame.minY + offset), width: frame.width, canvas)
    }
  }
}

/// Text that wraps into several lines; where there is no room for all, the last one ends in `…`.
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

  private func lines(in width: Int, limit: Int?) -> [String] {
    let lines = text.wrapped(toCells: width)
    guard let limit, lines.count > limit, limit > 0 else { return lines }
    let rest = lines[(limit - 1)...].joined(separator: " ")
    return lines.prefix(limit - 1) + [rest.truncated(toCells: width)]
  }

  public func update(_ node: Node) { node.layout = self }

  public func measure(_ node: Node, _ proposal: Size) -> Size {
    let lines = lines(in: proposal.width, limit: lineLimit)
    return Size(width: lines.map(\.cellWidth).max() ?? 0, height: min(lines.count, proposal.height))
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    let height = node.frame.height
    let lines = lines(in: node.frame.width, limit: min(lineLimit ?? height, height))
    for (offset, line) in lines.prefix(height).enumerated() {
      canvas.draw(line, at: Point(x: node.frame.minX, y: node.frame.minY + offset), style: style)
    }
  }
}

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
    Size(width: text(fitting: proposal.width)?.cellWidth ?? 0, height: min(1, proposal.height))
  }

  public func draw(_ node: Node, _ canvas: Canvas) {
    guard let text = text(fitting: node.frame.width) else { return }
    canvas.draw(text, at: node.frame.origin, style: style)
  }

  private func text(fitting width: Int) -> String? { texts.first { $0.cellWidth <= width } }
}

/// A progress message with a spinner.
///
/// Hidden for the first 150 ms, then five frames per second. The spinner stops after 10 s, so that
/// a long wait does not keep the CPU awake.
public struct ProgressText: PrimitiveView {
  package let text: String
  let style: Style
  let delay: Duration

  public init(
    _ text: some StringProtocol, _ style: Style = .dim, delay: Duration = .milliseconds(150)
  ) {
    self.text = String(text)
    self.style = style
    self.delay = delay
  }

  public func update(_ node: Node) {
    let state = (node.storage as? ProgressState) ?? ProgressState()
    state.text = text
    state.style = style
    state.delay = delay
    node.storage = state
    node.layout = state
  }
}

@MainActor final class ProgressState: LayoutElement {
  static let interval: Duration = .milliseconds(200)
  static let limit: Duration = .seconds(10)
  static let signs = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"]

  package var text = ""
  var style = Style.dim
  var delay: Duration = .zero
  private var since: ContinuousClock.Instant?

  func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(width: min(text.cellWidth + 2, proposal.width), height: min(1, proposal.height))
  }

  func draw(_ node: Node, _ canvas: Canvas) {
    let now = canvas.now
    let start = since ?? now
    since = start
    let elapsed = now - start
    if elapsed < delay {
      canvas.requestFrame(after: delay - elapsed)
      return
    }
    // No spinner for screen readers.
    guard !canvas.isPlain else {
      canvas.draw(text.truncated(toCells: node.frame.width), at: node.frame.origin, style: style)
      return
    }
    let ticks = min(elapsed, Self.limit) / Self.interval
    let sign = Self.signs[Int(ticks) % Self.signs.count]
    canvas.draw(
      (sign + " " + text).truncated(toCells: node.frame.width), at: node.frame.origin,
      style: style)
    if elapsed < Self.limit { canvas.requestFrame(after: Self.interval) }
  }
}
