import RallyMap
import RallyText

/// A directory of a PMTiles archive: entries in ascending order (specification, section 4).
struct PMTilesDirectory {
  struct Entry: Hashable {
    /// The number of its first tile.
    var number: UInt64
    /// From the start of the tiles' or the leaf directories' section, in bytes.
    var offset: UInt64
    var length: UInt32
    /// How many tiles in a row have this content; 0 for a leaf directory.
    var run: UInt32

    var isLeaf: Bool { run == 0 }
    /// The numbers of its tiles; of a leaf directory only the first is known.
    var numbers: Range<UInt64> { number..<number + UInt64(run) }
  }

  private(set) var entries: ContiguousArray<Entry>

  init(_ entries: ContiguousArray<Entry>) { self.entries = entries }

  /// - Parameter bytes: The unpacked directory.
  /// - Throws: `ArchiveError.damaged`.
  init(decoding bytes: [UInt8]) throws(ArchiveError) {
    var reader = VarintReader(bytes)
    let count = try reader.next()
    // Every entry takes at least four bytes: a false count cannot ask for much memory.
    guard count <= UInt64(reader.remaining / 4) else { throw .damaged("a directory ends early") }
    entries = ContiguousArray(
      repeating: Entry(number: 0, offset: 0, length: 0, run: 0), count: Int(count))
    var number: UInt64 = 0
    for index in entries.indices {
      let step = try reader.next()
      // Numbers of tiles need 50 bits at zoom 24.
      guard step < 1 << 56, number + step < 1 << 56, index == 0 || step > 0 else {
        throw Self.disorder
      }
      number += step
      entries[index].number = number
    }
    for index in entries.indices {
      guard let run = UInt32(exactly: try reader.next()) else { throw Self.disorder }
      entries[index].run = run
    }
    for index in entries.indices {
      // A tile of no bytes is against the format, and archives have them: tiles with nothing in them.
      guard let length = UInt32(exactly: try reader.next()), length > 0 || !entries[index].isLeaf
      else { throw Self.disorder }
      entries[index].length = length
    }
    for index in entries.indices {
      let value = try reader.next()
      if value == 0, index > 0 {
        let previous = entries[index - 1]
        entries[index].offset = previous.offset + UInt64(previous.length)
      } else {
        guard value > 0, value < 1 << 62 else { throw Self.disorder }
        entries[index].offset = value - 1
      }
    }
  }

  private static let disorder = ArchiveError.damaged("a directory contradicts itself")

  /// The entry that holds a tile, or the leaf directory where to look on; nil if there is no tile.
  func entry(of number: UInt64) -> Entry? {
    let next = entries.firstPlace { $0.number <= number }
    guard next > 0 else { return nil }
    let entry = entries[next - 1]
    return entry.isLeaf || entry.numbers.contains(number) ? entry : nil
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(entries.count))
    var number: UInt64 = 0
    for entry in entries {
      bytes.append(varint: entry.number - number)
      number = entry.number
    }
    for entry in entries { bytes.append(varint: UInt64(entry.run)) }
    for entry in entries { bytes.append(varint: UInt64(entry.length)) }
    var end: UInt64?
    for entry in entries {
      bytes.append(varint: entry.offset == end ? 0 : entry.offset + 1)
      end = entry.offset + UInt64(entry.length)
    }
    return bytes
  }
}

/// Reads unsigned LEB128 integers, as in PMTiles directories.
private struct VarintReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var remaining: Int { bytes.count - offset }

  /// - Throws: `ArchiveError.damaged` at the end of the bytes or beyond 64 bits.
  mutating func next() throws(ArchiveError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      let byte = UInt64(bytes[offset])
      offset += 1
      guard shift < 63 || byte <= 1 else { break }
      value |= (byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw .damaged("a directory ends early")
  }
}

extension [UInt8] {
  mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

extension TileAddress {
  /// The tile's number in PMTiles archives: all tiles of lower zooms first, then the position along
  /// the Hilbert curve of its zoom (PMTiles specification, version 3, section 4.1).
  var number: UInt64 {
    let side = UInt64(1) << UInt64(zoom)
    var (x, y, index) = (UInt64(self.x), UInt64(self.y), UInt64(0))
    var half = side >> 1
    while half > 0 {
      let right: UInt64 = x & half == 0 ? 0 : 1
      let lower: UInt64 = y & half == 0 ? 0 : 1
      index += half * half * ((3 * right) ^ lower)
      if lower == 0 {
        if right == 1 { (x, y) = (half &- 1 &- x, half &- 1 &- y) }
        swap(&x, &y)
      }
      half >>= 1
    }
    return Self.firstNumber(ofZoom: zoom) + index
  }

  /// The tile with this number; nil beyond the last zoom.
  init?(number: UInt64) {
    let zoom = Self.zoom(ofNumber: number)
    var rest = number - Self.firstNumber(ofZoom: zoom)
    var (x, y) = (UInt64(0), UInt64(0))
    var half: UInt64 = 1
    while half < UInt64(1) << UInt64(zoom) {
      let right = (rest >> 1) & 1
      let lower = (rest ^ right) & 1
      if lower == 0 {
        if right == 1 { (x, y) = (half - 1 - x, half - 1 - y) }
        swap(&x, &y)
      }
      (x, y) = (x + half * right, y + half * lower)
      rest >>= 2
      half <<= 1
    }
    guard rest == 0 else { return nil }
    self.init(zoom: zoom, x: Int(x), y: Int(y))
  }

  /// The zoom of the tile with this number, 0...24.
  static func zoom(ofNumber number: UInt64) -> Int {
    (0..<maximumZoom).first { number < firstNumber(ofZoom: $0 + 1) } ?? maximumZoom
  }

  /// The number of a zoom's first tile.
  static func firstNumber(ofZoom zoom: Int) -> UInt64 {
    let side = UInt64(1) << UInt64(zoom)
    return (side * side - 1) / 3
  }
}
