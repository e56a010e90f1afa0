import RallyDomain
import RallySystem
import TerminalKit

/// A heading or an action of the help.
struct HelpRow: Hashable, Identifiable {
  var id: String
  /// The first key.
  var key: String
  /// What it does, in a word or two; the name of a heading.
  var title: String
  var isHeading = false
  var details: HelpDetails?
  /// What a sign says; nil for a key.
  var sentence: String?

  /// What it does, in sentences.
  var explanation: String? {
    guard let details else { return sentence }
    return details.disabledReason.map { "\(details.summary) Not now: \($0)" } ?? details.summary
  }

  var isEnabled: Bool { details?.disabledReason == nil }

  /// The ways to end the program, the plainest first: one of them is listed, and its details name
  /// the others.
  static let waysToQuit = [Action.leave.id, ProgramActions.cancel.id, ProgramActions.quit.id]

  /// Grouped by section, in the order of the action table.
  static func rows(
    _ available: [AvailableAction], filter: String,
    nameOf name: (KeySequence) -> String = \.description
  ) -> [HelpRow] {
    let needle = filter.lowercased()
    let quit = waysToQuit.first { way in available.contains { $0.id == way } }
    let shown = available.filter { entry in
      guard !entry.action.keys.isEmpty else { return false }
      if waysToQuit.contains(entry.id), entry.id != quit { return false }
      return needle.isEmpty || entry.action.summary.lowercased().contains(needle)
        || entry.action.name.contains(needle) || entry.action.title.lowercased().contains(needle)
        || entry.action.keys.contains { $0.description.lowercased() == needle }
    }
    let sections = shown.reduce(into: [String]()) {
      if !$0.contains($1.action.section) { $0.append($1.action.section) }
    }
    return sections.flatMap { section in
      [HelpRow(id: "section \(section)", key: "", title: section, isHeading: true)]
        + shown.filter { $0.action.section == section }.map { entry in
          HelpRow(
            id: entry.id.rawValue, key: entry.action.keys.first.map(name) ?? "",
            title: entry.action.title,
            details: HelpDetails(
              entry, others: entry.id == quit ? others(than: entry.id, among: available) : [],
              nameOf: name))
        }
    }
  }

  /// The legend of a tab.
  static func rows(ofSignsOn tab: RallyTab, filter: String) -> [HelpRow] {
    let needle = filter.lowercased()
    let heading = "Signs"
    let shown = HelpSign.all(on: tab).filter {
      needle.isEmpty || heading.lowercased().hasPrefix(needle) || $0.sign == needle
        || $0.title.contains(needle) || $0.sentence.lowercased().contains(needle)
    }
    guard !shown.isEmpty else { return [] }
    return [HelpRow(id: "section \(heading)", key: "", title: heading, isHeading: true)]
      + shown.map {
        HelpRow(id: "sign \($0.sign)", key: $0.sign, title: $0.title, sentence: $0.sentence)
      }
  }

  private static func others(
    than way: ActionID, among available: [AvailableAction]
  ) -> [Action] {
    available.map(\.action).filter { waysToQuit.contains($0.id) && $0.id != way }
  }
}

/// Everything that the help says of one action.
struct HelpDetails: Hashable {
  var summary: String
  /// All keys.
  var keys: String
  /// What is typed on the command line.
  var command: String
  var disabledReason: String?
  /// Other actions to the same end: `^C  Cancel; pressed twice it quits.`
  var others: [String]

  init(
    _ entry: AvailableAction, others: [Action] = [],
    nameOf name: (KeySequence) -> String = \.description
  ) {
    summary = entry.action.summary
    keys = entry.action.keys.map(name).joined(separator: ", ")
    command = ":\(entry.action.name)"
    disabledReason = entry.disabledReason
    self.others = others.compactMap { other in
      other.keys.first.map { "\(name($0))  \(other.summary)" }
    }
  }
}

/// The help as pages of columns.
struct HelpPages: Hashable {
  /// Pages, their columns and the rows of these.
  let pages: [[[HelpRow]]]

  /// - Parameters:
  ///   - columns: How many stand side by side.
  ///   - height: Rows of each column.
  init(_ rows: [HelpRow], columns: Int, height: Int) {
    let height = max(2, height)
    var filled: [[HelpRow]] = []
    for row in rows {
      // A heading is never the last row of a column.
      let room = height - (filled.last?.count ?? height)
      if room < (row.isHeading ? 2 : 1) { filled.append([]) }
      filled[filled.count - 1].append(row)
    }
    pages = stride(from: 0, to: filled.count, by: columns).map {
      Array(filled[$0..<min($0 + columns, filled.count)])
    }
  }

  /// The actions in reading order.
  var actions: [HelpRow] { pages.joined().joined().filter { !$0.isHeading } }

  /// The page that has the row; the first one if none has.
  func page(of id: HelpRow.ID?) -> Int {
    pages.firstIndex { $0.joined().contains { $0.id == id } } ?? 0
  }

  /// The first action of a page; nil if there is no such page.
  func first(ofPage page: Int) -> HelpRow.ID? {
    guard pages.indices.contains(page) else { return nil }
    return pages[page].joined().first { !$0.isHeading }?.id
  }
}
