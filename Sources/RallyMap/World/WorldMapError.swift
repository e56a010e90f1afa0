/// Why the packed world could not be decoded. Offsets are bytes from the start of the blob.
///
/// The shipped blob never throws: a test decodes all of it. An error means that the program's file
/// is damaged and should be reinstalled.
public enum WorldMapError: Error, Hashable, Sendable {
  /// The blob does not start with the magic bytes of the format.
  case notAWorldMap
  /// The blob has a format version that this program does not support.
  case unknownVersion(Int)
  /// A required section is missing or lies outside of the blob.
  case missingSection(WorldSection)
  /// A section ends inside a value.
  case truncated(offset: Int)
  /// An invalid value: a count that cannot fit, an index out of range, a vertex outside of the
  /// world.
  case impossibleValue(offset: Int)
}
