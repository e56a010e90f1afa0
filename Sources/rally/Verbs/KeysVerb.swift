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
    let folders = try RallyFolders(data: global.data, profile: global.profile)
    let service = global.configurationService(in: folders)
    let reading = defaults ? ConfigurationLoadResult() : service.load()
    let keyMap = KeyMap(bindings: reading.configuration.keys, file: service.file)
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
