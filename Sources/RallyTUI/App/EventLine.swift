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
