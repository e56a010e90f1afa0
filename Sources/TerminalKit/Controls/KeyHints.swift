/// Key hints at the bottom of a sheet: `c new code  x take back  Esc close`, whole ones in as many
/// lines as they need.
///
/// Shows the current key bindings, so it follows user configuration. A click on a hint performs its
/// action.
package struct KeyHints: View {
  private let hints: [(actions: [Action], title: String)]

  @Environment(\.actions) private var actions
  @Environment(\.terminalSize) private var terminalSize

  package init(_ hints: [(action: Action, title: String)]) {
    self.init(joined: hints.map { (actions: [$0.action], title: $0.title) })
  }

  /// - Parameter joined: Hints that may combine several keys, such as `h/l less, more`.
  package init(joined hints: [(actions: [Action], title: String)]) { self.hints = hints }

  package var body: some View {
    VStack(spacing: 0) {
      ForEach(Array(lines.enumerated()), id: \.offset) { line in
        ClickLine(
          line.element.enumerated().flatMap { parts(of: $0.element, isFirst: $0.offset == 0) })
      }
    }
    .showsHints(of: hints.flatMap(\.actions).map(\.id))
  }

  /// Cells between the edges of the terminal and the hints: the border of a box, and its padding.
  private static let margins = 6

  private var lines: [[(actions: [Action], title: String)]] {
    let room = terminalSize.width - Self.margins
    var lines: [[(actions: [Action], title: String)]] = []
    var used = 0
    for hint in hints {
      let width = parts(of: hint, isFirst: true).reduce(0) { $0 + $1.width }
      if !lines.isEmpty, used + 2 + width <= room {
        used += 2 + width
        lines[lines.count - 1].append(hint)
      } else {
        used = width
        lines.append([hint])
      }
    }
    return lines
  }

  private func parts(
    of hint: (actions: [Action], title: String), isFirst: Bool
  ) -> [ClickLine.Part] {
    hint.actions.enumerated().map { place, action in
      let before = place > 0 ? "/" : isFirst ? "" : "  "
      let key = actions.table.way(to: action)
      let perform: @MainActor () -> Void = { [actions] in actions.perform(action.id) }
      guard place == hint.actions.count - 1 else {
        return ClickLine.Part(Span("\(before)\(key)", .accent), perform: perform)
      }
      return ClickLine.Part(
        Span("\(before)\(key) ", .accent), Span(hint.title), perform: perform)
    }
  }
}

/// The default action and the cancel action of a question: `[ Accept ↵ ]     Not now  Esc`.
package struct ChoiceLine: View {
  let title: String
  let action: Action
  let otherTitle: String

  @Environment(\.actions) private var actions

  package init(title: String, action: Action, otherTitle: String) {
    self.title = title
    self.action = action
    self.otherTitle = otherTitle
  }

  package var body: some View {
    let table = actions.table
    ClickLine([
      ClickLine.Part(Span("[ \(title) \(table.way(to: action)) ]", .accent.bold)) { [actions] in
        actions.perform(action.id)
      },
      ClickLine.Part(Span("     ")),
      ClickLine.Part(Span("\(otherTitle)  \(table.way(to: .back))", .dim)) { [actions] in
        actions.perform(Action.back.id)
      },
    ])
    .showsHints(of: [action.id, Action.back.id])
  }
}
