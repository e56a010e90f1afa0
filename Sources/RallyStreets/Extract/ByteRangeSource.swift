/// A file of which parts can be read, on this machine or on another.
public protocol ByteRangeSource: Sendable {
  /// Where the file is, as the person named it.
  var place: String { get }

  /// What tells the file's present content from a later one, such as an ETag; nil if nothing does.
  func version() async throws -> String?

  /// In bytes.
  func length() async throws -> UInt64

  /// - Parameter range: Within the length, not empty.
  /// - Returns: Exactly as many bytes as asked.
  /// - Throws: If the part cannot be read, or the file has changed since the first call.
  func bytes(_ range: Range<UInt64>) async throws -> [UInt8]
}
