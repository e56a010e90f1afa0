import ArgumentParser
import FoundationEssentials
import RallyCommand
import RallyStreets

struct MapInfo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Say what is in an archive of streets.")

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "What `rally map list` calls it, or a file.",
    completion: .file(extensions: ["pmtiles", "mbtiles"])) var archive: String

  func run() async throws {
    let output = Output(options: global)
    let folder = try StreetFolder(global)
    if let problem = folder.problem, StreetName(archive) != nil { throw problem }
    let row: StreetRow
    if let entry = folder.entries().first(where: { $0.name.description == archive }) {
      row = StreetRow(entry, in: folder)
    } else if let name = StreetName(archive), !FileManager.default.fileExists(atPath: archive) {
      throw VerbFailure.noStreets(name)
    } else {
      row = StreetRow(path: archive, try TileArchives.open(archive).info)
    }
    if global.json { return try output.json(row) }
    output.table(row.lines)
  }
}
