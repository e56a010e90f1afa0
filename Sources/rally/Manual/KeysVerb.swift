import ArgumentParser
import RallyCommand
import RallyDomain
import RallySystem
import RallyTUI
import TerminalKit

/// Prints the keys of all actions, with the configuration applied.
struct KeysVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Print the keys of the interface.",
    discussion: """
      These are the keys that count, with what the configuration changed. --defaults prints them as \
      they come; `rally config sample` shows how to change them.
      """)

  enum Format: String, EnumerableFlag {
    case markdown, man
  }

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Print a page in this format.") var format: Format?
  @Flag(help: "Ignore the configuration.") var defaults = false

  func run() async throws {
    let service = try global.configurationService()
    let reading = defaults ? ConfigurationLoadResult() : service.load()
    let keyMap = await KeyMap(bindings: reading.configuration.keys, file: service.file)
    let output = Output(options: global)
    for problem in service.problems(reading, keyMap) { output.message(problem.description) }
    let document = KeyDocument(table: keyMap.table)
    switch format {
    case .markdown: Output.write(document.markdown, to: 1)
    case .man: Output.write(document.manual, to: 1)
    case nil where global.json: try output.json(document.rows)
    case nil: print(document, output)
    }
  }

  private func print(_ document: KeyDocument, _ output: Output) {
    let rows = document.rows
    let widths = (
      rows.map { $0.shownKeys.cellWidth }.max() ?? 0, rows.map { $0.id.cellWidth }.max() ?? 0
    )
    for (index, section) in document.sections.enumerated() {
      if index > 0 { output.data("") }
      output.data(section.title)
      for row in section.rows {
        output.data(
          "  \(row.shownKeys.padded(toCells: widths.0))  \(row.id.padded(toCells: widths.1))  "
            + row.summary)
      }
    }
  }
}

/// The keys of the interface as text, Markdown and a man page.
struct KeyDocument {
  struct Row: Encodable {
    var id: String
    /// Its name on the command line.
    var name: String
    var section: String
    var summary: String
    var keys: [String]
    /// Its default keys.
    var defaults: [String]

    var shownKeys: String { keys.joined(separator: ", ") }

    enum CodingKeys: String, CodingKey {
      case id, name, section, summary, keys, defaults
    }
  }

  let rows: [Row]

  init(table: ActionTable, standard: ActionTable = .rally) {
    rows = table.actions.map { action in
      Row(
        id: action.id.rawValue, name: action.name, section: action.section,
        summary: action.summary, keys: action.keys.map(\.written),
        defaults: standard.keys(for: action.id).map(\.written))
    }
  }

  /// In the sections of the help.
  var sections: [(title: String, rows: [Row])] {
    var sections: [(title: String, rows: [Row])] = []
    for row in rows {
      if let index = sections.firstIndex(where: { $0.title == row.section }) {
        sections[index].rows.append(row)
      } else {
        sections.append((row.section, [row]))
      }
    }
    return sections
  }

  private static let preface = [
    "A key does what the place offers that is on the screen: the same letter means the same kind of "
      + "act everywhere. The help (?) lists what can be done now, and why something cannot.",
    "Every action can be given other keys, several of them, or none, in the configuration: see "
      + "rally-config(5). Every action can be done by its name on the command line (:).",
    "Keys that are parted by a blank are pressed one after the other; after the first one the "
      + "continuations are shown. ^K is Ctrl and K, M-b is Alt and B, S-Tab is Shift and Tab. A "
      + "character with Alt that means nothing is taken for Esc: a slow connection may have joined "
      + "the two.",
  ]

  /// `docs/keys.md`.
  var markdown: String {
    var lines = [
      "# Keys", "",
      "<!-- Made by `make docs` from the table of actions; a test compares the two. -->",
    ]
    for paragraph in Self.preface { lines += ["", paragraph] }
    for section in sections {
      lines += [
        "", "## \(section.title)", "", "| keys | action | command line | what it does |",
        "|---|---|---|---|",
      ]
      lines += section.rows.map { row in
        let keys = row.keys.map(Self.code).joined(separator: " ")
        return "| \(keys.isEmpty ? "—" : keys) | `\(row.id)` | `:\(row.name)` | \(row.summary) |"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Escapes `|`, which would end the table's cell.
  private static func code(_ key: String) -> String {
    "`\(key.replacing("|", with: "\\|"))`"
  }

  /// `rally-keys(7)`.
  var manual: String {
    var page = ManualPage("rally-keys", section: 7)
    page.heading("NAME")
    page.text("rally-keys - the keys of the interface of rally")
    page.heading("DESCRIPTION")
    for paragraph in Self.preface { page.paragraph(paragraph) }
    for section in sections {
      page.heading(section.title.uppercased())
      for row in section.rows {
        page.entry(row.keys.isEmpty ? "(no key)" : row.shownKeys, row.summary)
        page.lineBreak()
        page.text("\(row.id), on the command line :\(row.name)")
      }
    }
    page.heading("SEE ALSO")
    page.text("rally(1), rally-config(5)")
    return page.text
  }
}
