import FoundationEssentials
import RallyText

/// A file of which parts can be read, on this machine or on another.
public protocol ByteRangeSource: Sendable {
  /// Where the file is, as the person named it.
  var place: String { get }

  /// What distinguishes the file's present content from a later one, such as an ETag; nil if
  /// nothing does.
  func version() async throws -> String?

  /// In bytes.
  func length() async throws -> UInt64

  /// - Parameter range: Within the length, not empty.
  /// - Returns: Exactly as many bytes as asked.
  /// - Throws: If the part cannot be read, or the file has changed since the first call.
  func bytes(_ range: Range<UInt64>) async throws -> [UInt8]
}

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

/// Parts of a file in ascending order, apart from each other, and where each lies when only they
/// are written one after another.
struct ByteSpans {
  private(set) var ranges: [Range<UInt64>] = []
  /// The bytes before each range.
  private var starts: [UInt64] = []
  private(set) var count: UInt64 = 0

  /// - Parameter ranges: In any order; they may overlap.
  init(_ ranges: [Range<UInt64>]) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      guard let last = self.ranges.last, last.upperBound >= range.lowerBound else {
        self.ranges.append(range)
        continue
      }
      let end = max(last.upperBound, range.upperBound)
      self.ranges[self.ranges.count - 1] = last.lowerBound..<end
    }
    for range in self.ranges {
      starts.append(count)
      count += UInt64(range.count)
    }
  }

  /// The place among the written bytes of a byte of the file, which must be in one of the ranges.
  func position(of offset: UInt64) -> UInt64 {
    let index = lastIndex { ranges[$0].lowerBound <= offset }
    return starts[index] + (offset - ranges[index].lowerBound)
  }

  /// The byte of the file at a place among the written bytes; nil at their end.
  func offset(at position: UInt64) -> UInt64? {
    guard position < count else { return nil }
    let index = lastIndex { starts[$0] <= position }
    return ranges[index].lowerBound + (position - starts[index])
  }

  /// The last range for which this holds; it must not hold for any after one for which it does not.
  private func lastIndex(where holds: (Int) -> Bool) -> Int {
    max(ranges.indices.firstPlace(where: holds) - 1, 0)
  }

  /// The bytes of a part of the file that are in the ranges.
  func wanted(of bytes: [UInt8], at offset: UInt64) -> [UInt8] {
    let part = offset..<offset + UInt64(bytes.count)
    var wanted: [UInt8] = []
    wanted.reserveCapacity(bytes.count)
    let first = lastIndex { ranges[$0].lowerBound <= offset }
    for range in ranges[first...].lazy.prefix(while: { $0.lowerBound < part.upperBound }) {
      let common = range.clamped(to: part)
      guard !common.isEmpty else { continue }
      let start = Int(common.lowerBound - offset)
      wanted += bytes[start..<start + common.count]
    }
    return wanted
  }

  /// Requests that cover all ranges from one byte of the file on: neighbours are merged where the
  /// bytes between them are fewest, and long requests are split.
  ///
  /// - Parameters:
  ///   - surplus: The most bytes to fetch that nobody asked for.
  ///   - longest: The most bytes of one request.
  func requests(from start: UInt64, surplus: UInt64, longest: UInt64) -> [Range<UInt64>] {
    let gaps = zip(ranges, ranges.dropFirst()).map { $1.lowerBound - $0.upperBound }
    var left = surplus
    var bridged: Set<Int> = []
    for index in gaps.indices.sorted(by: { gaps[$0] < gaps[$1] }) {
      guard gaps[index] <= left else { break }
      left -= gaps[index]
      bridged.insert(index)
    }
    var requests: [Range<UInt64>] = []
    var index = 0
    while index < ranges.count {
      let low = ranges[index].lowerBound
      while bridged.contains(index) { index += 1 }
      let high = ranges[index].upperBound
      index += 1
      var next = max(low, start)
      while next < high {
        let end = min(next + longest, high)
        requests.append(next..<end)
        next = end
      }
    }
    return requests
  }
}
