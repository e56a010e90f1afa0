import RallyCommand
import RallyDomain
import RallyStreets
import RallySystem
import RallyText

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
