import RallyDomain
import TerminalKit

/// The present pane as text of the whole width, without frames, columns and the mouse: what the
/// terminal's own selection copies is whole lines, and nothing else.
private struct TextOnlyView: View {
  let content: AnyView

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.isPlain) private var isPlain
  @Environment(\.terminal) private var terminal

  var body: some View {
    content
      .environment(\.isPlain, isPlain || interface.isTextOnly)
      // Before anything on the screen goes a step back itself.
      .onKey(backKey) { interface.leaveTextOnly() }
      .onChange(of: interface.isTextOnly) { terminal.setTextOnly($1) }
  }
}

extension TextOnlyView {
  /// The key that goes one step back; Esc where that takes several.
  private var backKey: KeyChord {
    actions.table.keys(for: Action.back.id).first { $0.chords.count == 1 }?.chords.first
      ?? KeyChord(.escape)
  }
}

/// How to come back from the bare view.
struct TextOnlyLine: View {
  @Environment(\.actions) private var actions

  var body: some View {
    let table = actions.table
    Text(
      "Bare text: select it with the mouse. \(table.way(to: .back)) or \(table.way(to: ProgramActions.bare.id)) "
        + "comes back.", .dim
    )
    .frame(height: 1)
  }
}

extension View {
  /// Draws as a screen reader's screens are drawn while bare text is wanted.
  func textOnlyView() -> some View { TextOnlyView(content: AnyView(self)) }
}
