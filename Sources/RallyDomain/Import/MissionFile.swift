import Foundation
import RallyWire

/// A file with missions in it: GeoJSON (see `GeoJSONReader`) or GPX (see `GPXReader`).
public enum MissionFile {
  /// What the bytes of a file would bring. Damaged or foreign bytes are problems, never an end.
  ///
  /// - Parameters:
  ///   - name: The file's, for a mission that has no other.
  ///   - now: A mission that ended before is a problem.
  public static func preview(_ data: Data, name: String, now: WireTime) -> ImportPreview {
    guard data.count <= ImportLimits.bytes else {
      return ImportPreview(problems: [ImportProblem(line: 1, "The file is larger than 5 MB.")])
    }
    let bytes = [UInt8](data)
    let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
    switch bytes.first(where: { !blank.contains($0) }) {
    case UInt8(ascii: "<"):
      let title = ((name as NSString).lastPathComponent as NSString).deletingPathExtension
      return GPXReader.read(bytes, fileName: title, now: now)
    case nil:
      return ImportPreview(problems: [ImportProblem(line: 1, "The file is empty.")])
    default: return GeoJSONReader.read(bytes, now: now)
    }
  }
}
