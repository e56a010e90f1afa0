import RallyDomain
import TerminalKit

/// The key bindings of the screen below, with a filter as you type.
struct HelpScreen: View {
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @State private var filter = ""
  @State private var selection: String?

  var body: some View {
    let rows = HelpRow.rows(
      interface.helpActions, filter: filter, nameOf: actions.table.name)
    Box(title: "Keys of this screen") {
      VStack(spacing: 0) {
        HStack(spacing: 0) {
          Text(" / ", .accent)
          TextField(text: $filter, placeholder: "type to filter", isFocused: true)
        }
        Rule()
        if rows.isEmpty {
          Text(" No key does that here.", .dim)
        } else {
          List(rows, id: \.id, selection: $selection, isSelectable: { !$0.isHeading }) {
            row, isSelected in
            row.line(isSelected: isSelected)
          }
        }
      }
    }
    .frame(maxWidth: 76, maxHeight: 40)
  }
}

/// A heading or a key binding of the help.
struct HelpRow: Hashable, Identifiable {
  var id: String
  var keys: String
  var text: String
  var disabledReason: String?
  var isHeading = false

  /// Grouped by section, in the order of the action table.
  static func rows(
    _ available: [AvailableAction], filter: String,
    nameOf name: (KeySequence) -> String = \.description
  ) -> [HelpRow] {
    let needle = filter.lowercased()
    let shown = available.filter { entry in
      !entry.action.keys.isEmpty
        && (needle.isEmpty || entry.action.summary.lowercased().contains(needle)
          || entry.action.name.contains(needle)
          || entry.action.keys.contains { $0.description.lowercased() == needle })
    }
    var rows: [HelpRow] = []
    let sections = shown.reduce(into: [String]()) {
      if !$0.contains($1.action.section) { $0.append($1.action.section) }
    }
    for section in sections {
      rows.append(HelpRow(id: "section \(section)", keys: "", text: section, isHeading: true))
      rows += shown.filter { $0.action.section == section }.map { entry in
        HelpRow(
          id: entry.id.rawValue, keys: entry.action.keys.map(name).joined(separator: "  "),
          text: entry.action.summary, disabledReason: entry.disabledReason)
      }
    }
    return rows
  }

  @MainActor
  func line(isSelected: Bool) -> Line {
    if isHeading { return Line(Span(" \(text)", .title)) }
    let key = Span(
      "\(isSelected ? "▸" : " ") \(keys.padded(toCells: 12)) ",
      disabledReason == nil ? .accent : .dim)
    guard let disabledReason else { return Line(key, Span(text)) }
    return Line(key, Span(text, .dim), Span("  — \(disabledReason)", .dim.italic))
  }
}
