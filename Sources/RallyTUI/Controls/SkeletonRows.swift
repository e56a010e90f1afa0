import TerminalKit

/// Rows that are still to come, in their geometry: nothing for the first 150 ms, then dots that
/// stand still.
struct SkeletonRows: PrimitiveView {
  let count: Int
  let width: Int
  var delay: Duration = .milliseconds(150)

  func update(_ node: Node) {
    let state = (node.storage as? SkeletonState) ?? SkeletonState()
    (state.count, state.width, state.delay) = (count, width, delay)
    node.storage = state
    node.layout = state
  }
}

private final class SkeletonState: LayoutElement {
  var count = 0
  var width = 0
  var delay: Duration = .zero
  private var since: ContinuousClock.Instant?

  func measure(_ node: Node, _ proposal: Size) -> Size {
    Size(width: min(width, proposal.width), height: min(count * 2, proposal.height))
  }

  func draw(_ node: Node, _ canvas: Canvas) {
    let start = since ?? canvas.now
    since = start
    let elapsed = canvas.now - start
    guard elapsed >= delay else { return canvas.requestFrame(after: delay - elapsed) }
    guard !canvas.isPlain else {
      canvas.draw("Fetching missions…", at: node.frame.origin, style: .dim)
      return
    }
    for row in 0..<count {
      // Different lengths, so that they do not look like a frame.
      let length = max(6, width / 2 - row * 3 % 7)
      for (line, cells) in [length, length / 2].enumerated() {
        canvas.draw(
          String(repeating: "·", count: cells),
          at: Point(x: node.frame.minX + 3, y: node.frame.minY + row * 2 + line), style: .dim)
      }
    }
  }
}
