import RallyDomain
import TerminalKit

/// What can follow the keys of a sequence that is half typed: `g  g first  t next tab`.
struct ContinuationLine: View {
  @Environment(\.actions) private var actions

  var body: some View {
    if !actions.continuations.isEmpty {
      CanvasView { canvas, rect in
        var x = rect.minX
        for span in spans(fitting: rect.width) {
          x += canvas.draw(span.text, at: Point(x: x, y: rect.minY), style: span.style)
        }
      }
      .frame(maxWidth: .max)
      .frame(height: 1)
      .style(.normal, fills: true)
    }
  }

  /// As many whole hints as there is room for; one for each key, even if several actions share it.
  private func spans(fitting width: Int) -> [Span] {
    let typed = " \(actions.pending.map(\.description).joined(separator: " "))… "
    var spans = [Span(typed, .accent.bold)]
    var used = typed.cellWidth
    var shown: Set<KeySequence> = []
    for continuation in actions.continuations where shown.insert(continuation.keys).inserted {
      let key = " \(actions.table.name(of: continuation.keys)) "
      let title = "\(continuation.action.title) "
      used += key.cellWidth + title.cellWidth
      if used + 1 > width { return spans + [Span("…", .dim)] }
      spans += [Span(key, .accent), Span(title)]
    }
    return spans
  }
}
