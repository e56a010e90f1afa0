import RallyDomain
import RallyWire
import TerminalKit

/// The history of toast messages with their times, newest first.
struct MessageList: View {
  @Environment(\.interface) private var interface
  @Environment(\.isPlain) private var isPlain
  @State private var selection: Int?

  var body: some View {
    let said = Array(interface.toasts.history.reversed())
    Box(title: "Messages") {
      if said.isEmpty {
        Text("There are no messages yet.", .dim).padding(horizontal: 1)
      } else {
        List(said, id: \.id, selection: $selection) { toast, isSelected in
          if isPlain {
            Text("\(clock(toast)) \(EventFormatter.sentence(toast))")
          } else {
            Line(
              Span(isSelected ? "▸" : " "), Span("\(clock(toast)) ", .dim),
              Span("\(toast.glyph) ", toast.style), Span(toast.text))
          }
        }
      }
    }
    .frame(maxWidth: 76, maxHeight: 18)
    .onCopy(disabled: copied == nil ? "There are no messages yet." : nil) {
      copied.map(Clipping.init)
    }
    .onAction(.leave) { interface.overlay = nil }
  }

  private func clock(_ toast: Toast) -> String {
    let age = ContinuousClock.now - toast.shownAt
    return LocalTime.clock(WireTime.now.advanced(by: .zero - age))
  }

  /// The message to copy: the selected one, or else the last failure.
  private var copied: Toast? {
    let toasts = interface.toasts
    if let selection, let toast = toasts.history.first(where: { $0.id == selection }) {
      return toast
    }
    return toasts.lastDetailed ?? toasts.history.last
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
    let age = ContinuousClock.now - toast.shownAt
    let lines = [
      toast.text, toast.details,
      "Rally \(RallyVersion.current), \(WireTime.now.advanced(by: .zero - age).zulu)",
    ]
    self.init(
      text: lines.compactMap(\.self).joined(separator: "\n"), title: "the details of the failure")
  }
}
