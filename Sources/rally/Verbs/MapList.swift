import ArgumentParser
import RallyCommand
import RallyStreets

struct MapList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the streets on this machine.",
    discussion: """
      With --json an archive is an object with name, path, bytes, state (whole, unfinished or \
      damaged), title, format, west, south, east, north, minimum_zoom, maximum_zoom, tiles, \
      attribution, layers and problem; what is not known is null.
      """)

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let output = Output(options: global)
    let folder = try StreetFolder(global)
    if let problem = folder.problem { throw problem }
    let rows = folder.entries().map { StreetRow($0, in: folder) }
    if global.json { return try output.json(rows) }
    output.table(rows.map(\.cells), headings: StreetRow.headings)
    if rows.isEmpty {
      output.message("No streets yet. `rally map add FILE` adds an archive of them.")
    }
  }
}
