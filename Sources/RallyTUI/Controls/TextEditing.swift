import FoundationEssentials
import Glibc
import RallyDomain
import RallyEnvironment
import TerminalKit

/// A long text of a form, which an editor can be given.
struct LongText {
  /// What the file is called: `brief`.
  var name: String
  var text: Binding<String>
  /// Grapheme clusters.
  var limit: Int
}

struct TextEditing: View {
  let content: AnyView
  let long: LongText?

  @Environment(\.capabilities) private var capabilities
  @Environment(\.editorService) private var editorService
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal

  var body: some View {
    content.actions([Self.edit], in: self)
  }

  private func openEditor() {
    guard let long else { return }
    let (service, terminal, interface) = (editorService, terminal, interface)
    Task {
      do throws(EditorService.Problem) {
        let text = try await service.edit(long.text.wrappedValue, name: long.name) { @Sendable in
          await ForegroundProgram.run($0, $1, on: terminal)
        }
        if text != long.text.wrappedValue { long.text.wrappedValue = text }
        // It stays as it was written: the form says the same when it is sent.
        if text.count > long.limit {
          interface.say(
            "That has \(text.count) characters; use at most \(long.limit).", kind: .warning)
        }
      } catch {
        interface.say(error.sentence, kind: .warning)
      }
    }
  }
}

nonisolated extension TextEditing {
  static let edit = FeatureAction<Self>(
    id: "text.edit", name: "edit-text", title: "editor",
    summary: "Write the long text of the form in your editor: $VISUAL, $EDITOR or vi.",
    keys: ["^G", "e"], section: "Forms", footer: 545,
    shown: { $0.long != nil && $0.capabilities.contains(.editor) },
    run: { $0.openEditor() })
}

extension View {
  /// Offers to write a long text in the person's editor; nil offers nothing.
  func onEditing(_ long: LongText?) -> some View { TextEditing(content: AnyView(self), long: long) }
}

private struct EditorServiceKey: EnvironmentKey {
  static let defaultValue = EditorService(
    folder: "\(FileManager.default.temporaryDirectory.path)/rally-editor-\(getuid())")
}

extension EnvironmentValues {
  public var editorService: EditorService {
    get { self[EditorServiceKey.self] }
    set { self[EditorServiceKey.self] = newValue }
  }
}
