/// A line of key hints at the bottom of a sheet: `c new code  x take back  Esc close`.
///
/// Shows the current key bindings, so it follows user configuration. A click on a hint performs its
/// action.
package struct KeyHints: View {
  private let hints: [(ids: [ActionID], title: String)]

  @Environment(\.actions) private var actions

  package init(_ hints: [(id: ActionID, title: String)]) {
    self.init(joined: hints.map { (ids: [$0.id], title: $0.title) })
  }

  /// - Parameter joined: Hints that may combine several keys, such as `h/l less, more`.
  package init(joined hints: [(ids: [ActionID], title: String)]) { self.hints = hints }

  package var body: some View {
    ClickLine(
      hints.enumerated().flatMap { index, hint in
        hint.ids.enumerated().map { place, id in
          let before = place > 0 ? "/" : index > 0 ? "  " : ""
          let key = actions.table.way(to: id)
          let act: @MainActor () -> Void = { [actions] in actions.perform(id) }
          guard place == hint.ids.count - 1 else {
            return ClickLine.Part(Span("\(before)\(key)", .accent), act: act)
          }
          return ClickLine.Part(
            Span("\(before)\(key) ", .accent), Span(hint.title), act: act)
        }
      })
  }
}

/// The default action and the cancel action of a question: `[ Accept ↵ ]     Not now  Esc`.
package struct ChoiceLine: View {
  let title: String
  package let id: ActionID
  let otherTitle: String

  @Environment(\.actions) private var actions

  package init(title: String, id: ActionID, otherTitle: String) {
    self.title = title
    self.id = id
    self.otherTitle = otherTitle
  }

  package var body: some View {
    let table = actions.table
    ClickLine([
      ClickLine.Part(Span("[ \(title) \(table.way(to: id)) ]", .accent.bold)) { [actions] in
        actions.perform(id)
      },
      ClickLine.Part(Span("     ")),
      ClickLine.Part(Span("\(otherTitle)  \(table.way(to: .back))", .dim)) { [actions] in
        actions.perform(.back)
      },
    ])
  }
}
