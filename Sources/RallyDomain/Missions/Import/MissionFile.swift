import FoundationEssentials
import RallyText
import RallyWire

/// Reads a file of missions: GeoJSON (see `GeoJSONReader`) or GPX (see `GPXReader`).
public enum MissionFile {
  /// Parses a file, choosing the format by its first non-blank byte. Never fails: invalid input
  /// gives a preview with problems.
  ///
  /// - Parameters:
  ///   - name: The file name; the title of missions without one.
  ///   - now: Missions that ended before this are reported as problems.
  public static func preview(_ data: Data, name: String, now: WireTime) -> ImportPreview {
    guard data.count <= ImportLimits.bytes else {
      return ImportPreview(problems: [ImportProblem(line: 1, "The file is larger than 5 MB.")])
    }
    let bytes = [UInt8](data)
    // A byte order mark or a zero is UTF-16, which only XML may be in.
    let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0]
    switch bytes.first(where: { !blank.contains($0) }) {
    case UInt8(ascii: "<"):
      return GPXReader.read(bytes, fileName: name.fileStem, now: now)
    case nil:
      return ImportPreview(problems: [ImportProblem(line: 1, "The file is empty.")])
    default: return GeoJSONReader.read(bytes, now: now)
    }
  }
}
