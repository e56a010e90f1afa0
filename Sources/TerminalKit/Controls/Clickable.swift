/// Makes its content clickable.
struct ClickView: WrappingView {
  let content: AnyView
  let perform: @MainActor () -> Void

  func update(_ node: Node) {
    node.layout = self
    node.mouse = ClickTarget { [perform] _ in
      perform()
      return true
    }
    node.child(content)
  }
}

/// Handles presses of the left button only.
@MainActor final class ClickTarget: MouseTarget {
  private let perform: @MainActor (Point) -> Bool

  /// - Parameter perform: Returns false to pass the click on to the view below.
  init(perform: @escaping @MainActor (Point) -> Bool) { self.perform = perform }

  func handle(_ event: MouseEvent) -> Bool {
    event.kind == .press && event.button == 0 && perform(event.position)
  }
}

extension View {
  /// Runs `perform` when the left mouse button is pressed over this view. Every click action must also
  /// have a key binding.
  package func onClick(_ perform: @escaping @MainActor () -> Void) -> some View {
    ClickView(content: AnyView(self), perform: perform)
  }
}

/// One line of text with clickable parts.
package struct ClickLine: PrimitiveView, LayoutElement {
  package struct Part {
    var spans: [Span]
    var perform: (@MainActor () -> Void)?

    package init(_ spans: Span..., perform: (@MainActor () -> Void)? = nil) {
      self.spans = spans
      self.perform = perform
    }

    /// In cells.
    var width: Int { spans.reduce(0) { $0 + $1.text.cellWidth } }
  }

  let parts: [Part]
  private let line: Line

  package init(_ parts: [Part]) {
    self.parts = parts
    line = Line(parts.flatMap(\.spans))
  }

  package func update(_ node: Node) {
    node.layout = self
    node.mouse = ClickTarget { [weak node, parts] point in
      guard let node else { return false }
      var x = node.frame.minX
      for part in parts {
        let end = x + part.width
        if (x..<end).contains(point.x), let perform = part.perform {
          perform()
          return true
        }
        x = end
      }
      return false
    }
  }

  package func measure(_ node: Node, _ proposal: Size) -> Size { line.measure(node, proposal) }
  package func draw(_ node: Node, _ canvas: Canvas) { line.draw(node, canvas) }
}
