import ArgumentParser
import FoundationEssentials
import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem
import RallyText

struct MapVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map", abstract: "Print the map, with your friends on it; add streets.",
    discussion: """
      Streets come from archives of vector tiles (PMTiles or MBTiles) that are added once and then \
      lie on this machine: no server learns where you look.
      """,
    subcommands: [
      MapShow.self, MapAdd.self, MapList.self, MapInfo.self, MapRemove.self,
    ],
    defaultSubcommand: MapShow.self)
}

extension StreetFolder {
  /// The streets of the person who runs this.
  ///
  /// - Throws: `InvalidProfileName`.
  init(_ global: GlobalOptions) throws {
    self.init(path: try RallyFolders(data: global.data, profile: global.profile).streets)
  }
}

extension StreetName {
  /// - Throws: `VerbFailure` for a text that is no name.
  init(typed text: String) throws {
    guard let name = StreetName(text) else {
      throw VerbFailure(
        .usage, "A name is made of 1 to 32 of a-z, 0-9 and -, and does not begin with -.",
        advice: "Type --name lisbon.")
    }
    self = name
  }
}

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

struct MapRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove streets from this machine.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "What `rally map list` calls them.") var name: String

  func run() async throws {
    let output = Output(options: global)
    let wanted = try StreetName(typed: name)
    guard try StreetFolder(global).remove(wanted) else { throw VerbFailure.noStreets(wanted) }
    if global.json { return try output.json(["removed": wanted.description]) }
    output.message("Removed \(wanted).")
  }
}

extension VerbFailure {
  static func noStreets(_ name: StreetName) -> VerbFailure {
    VerbFailure(
      .failed, "There are no streets called \(name).", advice: "`rally map list` lists them.")
  }
}

/// An archive of streets as the verbs print it with `--json`. Scripts build on these names: nothing
/// is renamed or left out, and what is unknown is null.
struct StreetRow: JSONRow {
  let name: String?
  let path: String
  let byteCount: UInt64?
  let state: State
  let info: ArchiveInfo?
  /// Why it cannot be read.
  let problem: ArchiveError?

  enum State: String, Encodable { case whole, unfinished, damaged }

  init(_ entry: StreetFolder.Entry, in folder: StreetFolder) {
    name = entry.name.description
    path = folder.path(of: entry.name)
    byteCount = entry.byteCount
    switch entry.info {
    case .success(let info): (state, self.info, problem) = (.whole, info, nil)
    case .failure(let error): (state, info, problem) = (.damaged, nil, error)
    case nil: (state, info, problem) = (.unfinished, nil, nil)
    }
  }

  /// A file that is not in the folder.
  init(path: String, _ info: ArchiveInfo) {
    (name, self.path, byteCount) = (nil, path, nil)
    (state, self.info, problem) = (.whole, info, nil)
  }

  var members: [String: (any Encodable)?] {
    [
      "name": name,
      "path": path,
      "bytes": byteCount,
      "state": state,
      "title": info?.name,
      "format": info?.format.rawValue,
      "west": info?.bounds.west,
      "south": info?.bounds.south,
      "east": info?.bounds.east,
      "north": info?.bounds.north,
      "minimum_zoom": info?.minimumZoom,
      "maximum_zoom": info?.maximumZoom,
      "tiles": info?.tileCount,
      "attribution": info?.attribution,
      "layers": info?.layers,
      "problem": problem?.sentence,
    ]
  }
}

extension StreetRow {
  static let headings = ["archive", "size", "zooms", "title"]

  /// The columns of `headings`.
  var cells: [String] {
    let size = byteCount.map { ByteText($0).description } ?? ""
    guard let info else {
      let words = problem?.sentence ?? "Not finished. The same `rally map add` again goes on."
      return [name ?? path, size, "", words]
    }
    return [name ?? path, size, "zoom \(info.zooms)", info.name]
  }

  /// The lines of `rally map info`: what and its value.
  var lines: [[String]] {
    var lines = [["path", path.cleanedForDisplay]]
    if let name { lines.insert(["name", name], at: 0) }
    if let byteCount { lines.append(["size", ByteText(byteCount).description]) }
    guard let info else { return lines + [["state", cells[3]]] }
    if !info.name.isEmpty { lines.append(["title", info.name]) }
    lines.append(["format", info.format.rawValue])
    lines.append(["zoom", info.zooms])
    if let count = info.tileCount { lines.append(["tiles", "\(count)"]) }
    let bounds = info.bounds
    lines.append(
      [
        "area",
        [bounds.west, bounds.south, bounds.east, bounds.north].map(Self.degrees)
          .joined(separator: ","),
      ])
    lines.append(["data", info.attribution ?? "nobody is named"])
    return lines
  }

  private static func degrees(_ value: Double) -> String {
    "\((value * 10_000).rounded() / 10_000)"
  }
}

extension ArchiveInfo {
  /// `0-14`.
  var zooms: String {
    minimumZoom == maximumZoom ? "\(maximumZoom)" : "\(minimumZoom)-\(maximumZoom)"
  }
}
