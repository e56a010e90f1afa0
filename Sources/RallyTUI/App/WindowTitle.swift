import RallyDomain
import RallyEnvironment
import RallyState
import TerminalKit

/// Names the terminal's window by what waits on the person: `Rally · 2 requests · 1 invitation`.
private struct WindowTitle: View {
  let content: AnyView
  let waiting: DerivedState<String>?

  @Environment(\.configuration) private var configuration
  @Environment(\.demoStatus) private var demoStatus
  @Environment(\.terminal) private var terminal

  var body: some View {
    let title = title
    content.task(id: title) { terminal.setTitle(title) }
  }

  private var title: String? {
    guard configuration.hasTitle else { return nil }
    let counts = waiting?.value ?? ""
    return (demoStatus == nil ? "Rally" : "Rally demo") + (counts.isEmpty ? "" : " · \(counts)")
  }
}

extension View {
  /// - Parameter waiting: The pending items as text; nil while signed out.
  func windowTitle(_ waiting: DerivedState<String>? = nil) -> some View {
    WindowTitle(content: AnyView(self), waiting: waiting)
  }
}
