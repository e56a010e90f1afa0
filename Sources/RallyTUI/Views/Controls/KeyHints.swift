/// Keys with what they do, as the last line of a sheet: `c new code  x take back  Esc close`.
///
/// Keys are those of the table, so that they follow when the person gives an action others. A click on one
/// does what the key does.
struct KeyHints: View {
  private let hints: [(ids: [ActionID], title: String)]

  @Environment(\.actions) private var actions

  init(_ hints: [(id: ActionID, title: String)]) {
    self.init(joined: hints.map { (ids: [$0.id], title: $0.title) })
  }

  /// - Parameter joined: Also hints of several keys, as `h/l less, more`.
  init(joined hints: [(ids: [ActionID], title: String)]) { self.hints = hints }

  var body: some View {
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

/// The act that Enter does and the one that leads away: `[ Accept ↵ ]     Not now  Esc`.
struct ChoiceLine: View {
  let title: String
  let id: ActionID
  let otherTitle: String

  @Environment(\.actions) private var actions

  var body: some View {
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
