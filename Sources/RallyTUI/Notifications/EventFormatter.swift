import RallySystem
import TerminalKit

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
