import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// The history of toast messages with their times, newest first, each of them whole.
struct MessageList: View {
  @Environment(\.interface) private var interface
  @Environment(\.isPlain) private var isPlain
  @Environment(\.terminalSize) private var terminalSize
  @State private var selection: MessageRow.ID?

  var body: some View {
    let width = min(Self.width, terminalSize.width) - 4
    let rows = interface.toasts.history.reversed().flatMap {
      MessageRow.rows($0, width: width, isPlain: isPlain)
    }
    Box(title: "Messages") {
      if rows.isEmpty {
        Text("There are no messages yet.", .dim).padding(horizontal: 1)
      } else {
        List(
          rows, id: \.id, selection: $selection,
          rowsBelow: rows.count { $0.toast.id == selection?.toast } - 1,
          isSelectable: { $0.id.line == 0 }
        ) { row, isSelected in
          row.line(isSelected: isSelected, isPlain: isPlain)
        }
      }
    }
    .frame(maxWidth: Self.width, maxHeight: min(18, terminalSize.sheetHeight))
    .onCopy(disabled: copied == nil ? "There are no messages yet." : nil) {
      copied.map(Clipping.init)
    }
    .onAction(.leave) { interface.overlay = nil }
  }

  private static let width = 76

  /// The message to copy: the selected one, or else the last failure.
  private var copied: Toast? {
    let toasts = interface.toasts
    if let selection, let toast = toasts.history.first(where: { $0.id == selection.toast }) {
      return toast
    }
    return toasts.lastDetailed ?? toasts.history.last
  }
}

/// A line of a message; the first one has its time and its mark.
struct MessageRow: Identifiable {
  struct ID: Hashable {
    var toast: Int
    var line: Int
  }

  var id: ID
  var toast: Toast
  var text: String

  /// Cells before the text: the selection's mark, the clock, the kind.
  private static let lead = 9

  static func rows(_ toast: Toast, width: Int, isPlain: Bool = false) -> [MessageRow] {
    let text = isPlain ? EventFormatter.sentence(toast) : toast.text
    return text.wrapped(toCells: max(1, width - lead)).enumerated().map {
      MessageRow(id: ID(toast: toast.id, line: $0.offset), toast: toast, text: $0.element)
    }
  }

  func line(isSelected: Bool, isPlain: Bool) -> Line {
    guard id.line == 0 else {
      return Line(Span(String(repeating: " ", count: isPlain ? 6 : Self.lead)), Span(text))
    }
    if isPlain { return Line(Span("\(clock) \(text)")) }
    return Line(
      Span(isSelected ? "▸" : " "), Span("\(clock) ", .dim),
      Span("\(toast.glyph) ", toast.style), Span(text))
  }

  private var clock: String { LocalTime.clock(toast.shownTime) }
}

extension Toast {
  /// By the wall clock.
  fileprivate var shownTime: WireTime {
    WireTime.now.advanced(by: shownAt - ContinuousClock.now)
  }
}

extension Clipping {
  /// The text of a message; for a failure also its details, the version and the time, for a bug
  /// report.
  init(_ toast: Toast) {
    guard toast.kind == .failure || toast.details != nil else {
      self.init(text: toast.text, title: "the message")
      return
    }
    let lines = [
      toast.text, toast.details,
      "Rally \(RallyVersion.current), \(toast.shownTime.zulu)",
    ]
    self.init(
      text: lines.compactMap(\.self).joined(separator: "\n"), title: "the details of the failure")
  }
}
