import FoundationEssentials
import RallyDomain
import RallyEnvironment
import RallySystem
import TerminalKit

/// A long text of a form, which an editor can be given.
struct LongText {
  /// What the file is called: `brief`.
  var name: String
  /// Which of several forms with that name it belongs to.
  var id: UUID?
  var text: Binding<String>
  /// Grapheme clusters.
  var limit: Int

  fileprivate var form: String { id.map { "\(name)-\($0.uuidString)" } ?? name }
}

struct TextEditing: View {
  let content: AnyView
  let long: LongText?

  @Environment(\.actions) private var actions
  @Environment(\.capabilities) private var capabilities
  @Environment(\.editorService) private var editorService
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal

  var body: some View {
    content
      .actions([Self.edit], in: self)
      .task(id: long?.form) { await offerKept() }
  }

  /// Says that there is a text which an editor saved and the form never got.
  private func offerKept() async {
    guard let long, capabilities.contains(.editor),
      await editorService.kept(form: long.form) != nil
    else { return }
    let key = actions.table.hint(for: Self.edit.id)
    interface.say("What you wrote in your editor is kept: \(key) opens it again.")
  }

  private func openEditor() {
    guard let long else { return }
    let (service, terminal, interface) = (editorService, terminal, interface)
    Task {
      // What an earlier one saved comes into the form first, and is what this one gets.
      if let kept = await service.kept(form: long.form) { await put(kept, into: long) }
      do throws(EditorService.Problem) {
        let edited = try await service.edit(
          long.text.wrappedValue, form: long.form, name: long.name
        ) { @Sendable in
          await ForegroundProgram.run($0, $1, on: terminal)
        }
        await put(edited, into: long)
      } catch {
        interface.say(error.sentence, kind: .warning)
      }
    }
  }

  /// Puts a text that an editor saved into the form; its file goes once it is there.
  ///
  /// What the form got in the meantime stays before it.
  private func put(_ edited: EditorService.Edited, into long: LongText) async {
    let present = long.text.wrappedValue
    let isNewer = present != edited.given && !present.isEmpty && present != edited.text
    let text = isNewer ? "\(present) \(edited.text)" : edited.text
    if text != present { long.text.wrappedValue = text }
    // A form that is closed takes nothing.
    guard long.text.wrappedValue == text else { return }
    await editorService.discard(edited)
    // It stays as it was written: the form says the same when it is sent.
    if text.count > long.limit {
      interface.say(
        "That has \(text.count) characters; use at most \(long.limit).", kind: .warning)
    }
  }
}

extension TextEditing {
  static let edit = FeatureAction<Self>(
    id: "text.edit", name: "edit-text", title: "editor",
    summary:
      "Write the long text of the form in your editor ($VISUAL, $EDITOR, vi), or take what it saved.",
    keys: ["^G", "e"], section: "Forms", footer: 545,
    shown: { $0.long != nil && $0.capabilities.contains(.editor) },
    run: { $0.openEditor() })
}

extension View {
  /// Offers to write a long text in the person's editor; nil offers nothing.
  func onEditing(_ long: LongText?) -> some View { TextEditing(content: AnyView(self), long: long) }
}
