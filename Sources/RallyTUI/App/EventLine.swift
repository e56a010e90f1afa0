import RallyDomain
import RallySystem
import TerminalKit

/// What was said last, in the same row on every screen, until something else is said or Esc.
///
/// For a screen reader: it hears a change of this row once. A line that came and went by itself would
/// be missed or read again.
struct EventLine: View {
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    let all = actions.table.way(to: ProgramActions.messages.id)
    Text(EventFormatter.line(interface.toasts, all: all, width: terminalSize.width)).frame(
      height: 1)
  }
}

/// What was said, in words alone.
enum EventFormatter {
  /// What comes within this time is said together.
  static let burst = Duration.seconds(1)

  /// - Parameter all: How everything that was said is reached.
  static func line(_ toasts: ToastQueue, all: String, width: Int) -> String {
    guard let current = toasts.current else { return "" }
    let earlier = toasts.history.reversed().drop { $0.id != current.id }
      .prefix { current.shownAt - $0.shownAt < burst }
    var sentences = earlier.reversed().map(sentence)
    var left = 0
    while true {
      let more = left == 0 ? [] : ["\(left) more in \(all)."]
      let line = (sentences + more).joined(separator: " ")
      if line.cellWidth <= width || sentences.count <= 1 { return line }
      sentences.removeFirst()
      left += 1
    }
  }

  /// `Failed: the server is not reached.`
  static func sentence(_ toast: Toast) -> String {
    switch toast.kind {
    case .information, .success: toast.text
    case .warning: "Note: \(toast.text)"
    case .failure: "Failed: \(toast.text)"
    }
  }
}
