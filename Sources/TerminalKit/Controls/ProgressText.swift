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
