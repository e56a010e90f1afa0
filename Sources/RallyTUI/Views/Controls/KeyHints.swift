/// Keys with what they do, as the last line of a sheet: `c new code  x take back  Esc close`.
///
/// Keys are those of the table, so that they follow when the person gives an action others.
struct KeyHints: View {
  private let hints: [(id: ActionID, title: String)]

  @Environment(\.actions) private var actions

  init(_ hints: [(id: ActionID, title: String)]) { self.hints = hints }

  var body: some View {
    Line(
      hints.enumerated().flatMap { index, hint in
        [
          Span("\(index == 0 ? "" : "  ")\(actions.table.way(to: hint.id)) ", .accent),
          Span(hint.title),
        ]
      })
  }
}

/// The act that Enter does and the one that leads away: `[ Accept ↵ ]     Not now  Esc`.
struct ChoiceLine: View {
  let title: String
  let id: ActionID
  let otherTitle: String

  @Environment(\.actions) private var actions

  var body: some View {
    let table = actions.table
    Line(
      Span("[ \(title) \(table.way(to: id)) ]", .accent.bold), Span("     "),
      Span("\(otherTitle)  \(table.way(to: .back))", .dim))
  }
}
