import RallyDomain
import RallyWire

/// Something that a key puts on the clipboard.
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

  /// Where a friend is, as exactly as they let one know.
  init(_ position: FriendPosition) {
    let handle = position.profile.handle
    self.init(
      text: position.coordinate.description, title: "\(position.coordinate), where \(handle) is")
  }

  init(_ link: InvitationLink) { self.init(text: link.description, title: "the link") }
}

extension View {
  /// Offers to copy what is selected.
  ///
  /// - Parameters:
  ///   - disabled: Why there is nothing to copy; nil where there is.
  ///   - clipping: Asked when the key is pressed.
  func onCopy(
    disabled: String? = nil, _ clipping: @escaping @MainActor () -> Clipping?
  ) -> some View {
    CopyingView(content: self, disabledReason: disabled, clipping: clipping)
  }
}

private struct CopyingView<Content: View>: View {
  let content: Content
  let disabledReason: String?
  let clipping: @MainActor () -> Clipping?

  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal

  var body: some View {
    content.onAction(.copy, disabled: disabledReason) {
      guard let clipping = clipping() else { return }
      do throws(ClipboardProblem) {
        try terminal.copy(clipping.text)
        interface.say("Copied \(clipping.title).", kind: .success)
      } catch {
        interface.say(error.sentence, kind: .warning)
      }
    }
  }
}
