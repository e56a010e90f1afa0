/// Makes its content clickable.
struct ClickView: PrimitiveView, WrappingLayout {
  let content: AnyView
  let act: @MainActor () -> Void

  func update(_ node: Node) {
    node.layout = self
    node.mouse = ClickTarget { [act] _ in
      act()
      return true
    }
    node.child(content)
  }

  func measure(_ node: Node, _ proposal: Size) -> Size { measureContent(node, proposal) }
  func place(_ node: Node, in rect: Rect) { placeContent(node, in: rect) }
}

/// Handles presses of the left button only.
@MainActor final class ClickTarget: MouseTarget {
  private let act: @MainActor (Point) -> Bool

  /// - Parameter act: Returns false to pass the click on to the view below.
  init(act: @escaping @MainActor (Point) -> Bool) { self.act = act }

  func handle(_ event: MouseEvent) -> Bool {
    event.kind == .press && event.button == 0 && act(event.position)
  }
}

extension View {
  /// Runs `act` when the left mouse button is pressed over this view. Every click action must also
  /// have a key binding.
  package func onClick(_ act: @escaping @MainActor () -> Void) -> some View {
    ClickView(content: AnyView(self), act: act)
  }
}

/// One line of text with clickable parts.
package struct ClickLine: PrimitiveView, LayoutElement {
  package struct Part {
    var spans: [Span]
    var act: (@MainActor () -> Void)?

    package init(_ spans: Span..., act: (@MainActor () -> Void)? = nil) {
      self.spans = spans
      self.act = act
    }
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
        let end = x + part.spans.reduce(0) { $0 + $1.text.cellWidth }
        if (x..<end).contains(point.x), let act = part.act {
          act()
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
