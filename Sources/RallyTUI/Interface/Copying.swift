import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// Text for the clipboard.
struct Clipping: Hashable {
  var text: String
  /// Continues "Copied ": `the link`.
  var title: String
}

extension Clipping {
  /// The place of a mission, as other programs take it: `38.7200, -9.1400`.
  init(_ mission: Mission) {
    self.init(
      text: mission.centre.description, title: "\(mission.centre), where \(mission.title) is")
  }

  /// A friend's position, as precise as it is shared.
  init(_ position: FriendPosition) {
    let handle = position.profile.handle
    self.init(
      text: position.coordinate.description, title: "\(position.coordinate), where \(handle) is")
  }
}

extension View {
  /// Handles the copy action.
  ///
  /// - Parameters:
  ///   - disabled: Why there is nothing to copy; nil if there is something.
  ///   - clipping: Evaluated when the key is pressed.
  func onCopy(
    disabled: String? = nil, _ clipping: @escaping @MainActor () -> Clipping?
  ) -> some View {
    CopyingView(content: AnyView(self), disabledReason: disabled, clipping: clipping)
  }
}

private struct CopyingView: View {
  let content: AnyView
  let disabledReason: String?
  let clipping: @MainActor () -> Clipping?

  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal

  var body: some View {
    content.onAction(.copy, disabled: disabledReason) {
      if let clipping = clipping() { interface.copy(clipping, to: terminal) }
    }
  }
}

extension Interface {
  func copy(_ clipping: Clipping, to terminal: TerminalControl) {
    do throws(ClipboardError) {
      try terminal.copy(clipping.text)
      say("Copied \(clipping.title).", kind: .success)
    } catch {
      say(error.sentence, kind: .warning)
    }
  }
}

/// While a failure is shown, the copy key copies its details, on every screen and sheet.
private struct FailureCopying: View {
  let content: AnyView

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal

  var body: some View {
    let failure = interface.toasts.current.flatMap { $0.kind == .failure ? $0 : nil }
    content
      .onKey(copyKey) {
        guard let failure else { return false }
        interface.copy(Clipping(failure), to: terminal)
        return true
      }
      // In a sheet, and if nothing is selected; also after the failure was dismissed.
      .onAction(
        .copy, disabled: failed == nil ? "There is nothing to copy here." : nil, isGlobal: true
      ) { if let failed { interface.copy(Clipping(failed), to: terminal) } }
  }

  private var failed: Toast? { interface.toasts.history.last { $0.kind == .failure } }

  private var copyKey: KeyChord {
    actions.table.keys(for: Action.copy.id).first { $0.chords.count == 1 }?.chords.first
      ?? KeyChord(.character("y"))
  }
}

extension View {
  func failureCopying() -> some View { FailureCopying(content: AnyView(self)) }
}
