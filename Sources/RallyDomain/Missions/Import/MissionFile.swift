import FoundationEssentials
import RallySystem
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

/// What importing a file would create, shown before anything is created.
public struct ImportPreview: Sendable {
  /// A mission that would be created, and the line of the file that it starts on.
  public struct Item: Sendable {
    public var line: Int
    public var call: CreateMission
    /// Derived from the content, so that the same mission is created once; see `ContentID`.
    public var clientID: UUID
  }

  public var items: [Item] = []
  /// Sorted by line. A problem in one mission leaves out that mission only.
  public var problems: [ImportProblem] = []

  public var missions: [CreateMission] { items.map(\.call) }

  /// `2 missions, 1 problem.`
  public var sentence: String {
    let missions = items.count.counted("mission")
    return problems.isEmpty ? "\(missions)." : "\(missions), \(problems.count.counted("problem"))."
  }
}

/// An error in an import file, with its line.
public struct ImportProblem: ReportableError, Hashable, Sendable, Codable {
  /// Counted from 1; never past the last line of the file.
  public var line: Int
  /// One sentence.
  public var sentence: String

  public init(line: Int, _ sentence: String) {
    self.line = line
    self.sentence = sentence
  }
}

/// Limits on an import file. `bytes` and `missions` are maximums.
public enum ImportLimits {
  public static let bytes = 5_000_000
  public static let missions = 1000
  /// Maximum nesting depth of arrays, objects and XML elements.
  public static let depth = 64
  /// Problems beyond this number are dropped from the preview.
  public static let problems = 1000
}
