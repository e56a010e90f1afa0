import FoundationEssentials

/// A file on this machine.
public struct LocalByteRanges: ByteRangeSource {
  public let place: String
  private let file: ArchiveFile

  /// - Throws: `ArchiveError.file`.
  public init(path: String) throws(ArchiveError) {
    file = try ArchiveFile(path: path)
    place = path
  }

  /// The time of the last change.
  public func version() async throws -> String? {
    let attributes = try FileManager.default.attributesOfItem(atPath: place)
    return (attributes[.modificationDate] as? Date).map { "\($0.timeIntervalSince1970)" }
  }

  public func length() async throws -> UInt64 { file.length }

  public func bytes(_ range: Range<UInt64>) async throws -> [UInt8] {
    try file.bytes(at: range.lowerBound, count: range.count)
  }
}
