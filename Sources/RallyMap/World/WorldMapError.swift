/// Why the packed world could not be read. Offsets are bytes from the blob's start.
///
/// The shipped blob never throws: a test decodes all of it. What is thrown names the damage, so
/// that the interface can say that the program's file is damaged and should be installed again.
public enum WorldMapError: Error, Hashable, Sendable {
  /// The blob does not begin with the marks of the format that this program reads.
  case notAWorldMap
  /// The format's version is another one than this program reads.
  case unknownVersion(Int)
  /// A section that must be there is missing or lies outside of the blob.
  case missingSection(WorldSection)
  /// A section ends in the middle of a value.
  case truncated(offset: Int)
  /// A value is impossible: a count that cannot fit, an index to nothing, a vertex outside of the
  /// world.
  case impossibleValue(offset: Int)
}
