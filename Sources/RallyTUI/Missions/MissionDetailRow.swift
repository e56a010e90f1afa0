import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// One line of a mission's detail; the whole detail is one list, so that all of it scrolls.
struct MissionDetailRow: Identifiable {
  enum ID: Hashable {
    /// Words that nothing can be done with.
    case text(Int)
    case objective(UUID)
    /// The heading of the talk.
    case talk
    /// The rule above the first line that is new.
    case newRule
    /// A line of the talk.
    case activity(UUID)
  }

  var id: ID
  /// What stands before the spans; of objectives only.
  var mark: Span?
  var spans: [Span]
  /// Said at the right edge.
  var note: [Span] = []
  /// When what the row tells happened; of lines of the talk only.
  var time: WireTime?

  var isSelectable: Bool {
    switch id {
    case .text, .talk, .newRule: false
    case .objective, .activity: true
    }
  }

  var objectiveID: UUID? { if case .objective(let id) = id { id } else { nil } }

  /// The row in so many cells, its note at the right; without its mark.
  @MainActor
  func line(width: Int) -> Line {
    guard !note.isEmpty else { return Line(spans) }
    let noteWidth = note.reduce(0) { $0 + $1.text.cellWidth }
    var room = max(0, width - noteWidth - 1)
    var cut: [Span] = []
    for span in spans {
      let text = span.text.truncated(toCells: room)
      cut.append(Span(text, span.style))
      room -= text.cellWidth
    }
    return Line(cut + [Span(String(repeating: " ", count: max(0, room) + 1))] + note)
  }
}
