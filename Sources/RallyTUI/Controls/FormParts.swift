import RallyDomain
import RallyState
import RallyWire
import TerminalKit

/// A label, a field, and under it what is wrong with what was typed.
struct FormField: View {
  let field: FieldProblem.Field
  let text: Binding<String>
  let problem: FieldProblem?
  let isFocused: Bool
  var isSecret = false
  var placeholder = ""
  /// Called when the field is clicked.
  var onFocus: @MainActor () -> Void = {}

  static let labelWidth = 12

  var body: some View {
    VStack(spacing: 0) {
      FormRow(
        label: field.label, text: text, isFocused: isFocused, isSecret: isSecret,
        placeholder: placeholder, onFocus: onFocus)
      if let problem {
        Paragraph("! \(problem.advice)", .danger).padding(leading: 2)
      }
    }
  }
}

/// A label and a field.
struct FormRow: View {
  let label: String
  let text: Binding<String>
  let isFocused: Bool
  var isSecret = false
  var placeholder = ""
  /// Called when the row is clicked.
  var onFocus: @MainActor () -> Void = {}

  var body: some View {
    HStack(spacing: 0) {
      Text(
        "\(isFocused ? "▸" : " ") \(label)".padded(toCells: FormField.labelWidth),
        isFocused ? .accent : .normal
      )
      .frame(width: FormField.labelWidth)
      TextField(text: text, placeholder: placeholder, isSecret: isSecret, isFocused: isFocused)
    }
    .frame(height: 1)
    .onClick(onFocus)
  }
}

/// A read-only line of a form.
struct FormNote: View {
  let label: String
  let text: String
  var style: Style = .dim

  var body: some View {
    HStack(spacing: 0) {
      Text("  \(label)".padded(toCells: FormField.labelWidth), .dim)
        .frame(width: FormField.labelWidth)
      Text(text, style)
    }
    .frame(height: 1)
  }
}

/// The button of the form, or what it waits for.
struct FormButton: View {
  let title: String
  let waiting: String
  let isWaiting: Bool
  let hint: String
  /// What the hint at the right is about.
  var hintAction: Action?
  /// Whether a compact terminal, whose last row has no room for it, has the hint below the button.
  var isHintKept = false
  /// Sends the form, from whatever field.
  let submit: @MainActor () -> Void

  @Environment(\.actions) private var actions
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    let isCompact = terminalSize.isCompact
    VStack(spacing: 0) {
      row(hintAction: isCompact ? nil : hintAction)
      if isCompact, isHintKept, let hintAction {
        HStack(spacing: 0) {
          Text("  ")
          link(to: hintAction)
        }
        .frame(height: 1)
        .showsHints(of: [hintAction.id])
      }
    }
  }

  private func link(to action: Action) -> some View {
    Text(hint, .dim).onClick { [actions] in actions.perform(action.id) }
  }

  private func row(hintAction: Action?) -> some View {
    HStack(spacing: 0) {
      Text("  ")
      if isWaiting {
        ProgressText("\(waiting)…")
      } else {
        Text("[ \(title) \(actions.table.way(to: .submit)) ]", .accent.bold)
          .onClick(submit)
      }
      Spacer()
      if let hintAction { link(to: hintAction) }
    }
    .frame(height: 1)
    .showsHints(of: [Action.submit.id] + (hintAction.map { [$0.id] } ?? []))
  }
}

extension FieldProblem.Field {
  var label: String {
    switch self {
    case .username: "Username"
    case .displayName: "Your name"
    case .bio: "About you"
    case .email: "E-mail"
    case .password: "Password"
    case .server: "Server"
    case .place: "Place"
    case .text: "Text"
    case .code: "Code"
    case .file: "File"
    default: missionLabel
    }
  }
}

extension Binding where Value == FieldProblem.Field? {
  /// Moves the focus to the first field of a form that has a problem, if there is one.
  func showProblem(of draft: some Draft) {
    if let wrong = draft.firstProblemField { wrappedValue = wrong }
  }
}

extension Store where R.State: Draft {
  /// Sends a form from synchronous code, and then moves the focus to its first problem.
  func send(_ request: R.Request, focus: Binding<FieldProblem.Field?>) {
    Task {
      await send(request)
      focus.showProblem(of: state)
    }
  }
}

/// Places that a name may mean, one of which is chosen.
struct PlaceChoices: View {
  let places: [Place]
  let onChoose: @MainActor (Place) -> Void

  @State private var selection: Place?

  var body: some View {
    let selected = selected
    VStack(spacing: 0) {
      ForEach(places, id: \.self) { place in
        Line(
          Span(place == selected ? "▸ " : "  "),
          Span(place.title, place == selected ? .selection : .normal)
        )
        .onClick { onChoose(place) }
      }
      Text("")
      KeyHints(joined: [([.submit], "take it"), ([.back], "none of them")])
    }
    .onKey(KeyChord(.down)) { move(by: 1) }
    .onKey(KeyChord(.up)) { move(by: -1) }
    .onAction(.submit) { if let selected { onChoose(selected) } }
  }

  private var selected: Place? {
    selection.flatMap { places.contains($0) ? $0 : nil } ?? places.first
  }

  private func move(by step: Int) -> Bool {
    selection = places.element(after: selected, step: step)
    return selection != nil
  }
}
