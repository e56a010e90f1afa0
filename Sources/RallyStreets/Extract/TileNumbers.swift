import RallyMap
import RallyText

/// Numbers of tiles as ranges in ascending order, apart from each other.
struct TileNumbers {
  let ranges: [Range<UInt64>]

  /// The most ranges, 16 bytes each.
  private static let most = 1_000_000

  static let all = TileNumbers(ranges: [0..<(1 << 57)])

  private init(ranges: [Range<UInt64>]) { self.ranges = ranges }

  /// The tiles that an area touches.
  ///
  /// A square of tiles has numbers in a row, so whole squares within the area are one range.
  ///
  /// - Throws: `ArchiveError.tooLarge` for more than a million ranges.
  init(_ area: TileArea, zooms: ClosedRange<Int>) throws(ArchiveError) {
    var found: [Range<UInt64>] = []
    for zoom in zooms {
      for part in area.parts {
        let walk = Walk(zoom: zoom, columns: part.columns(zoom: zoom), rows: part.rows(zoom: zoom))
        try walk.collect(in: &found, most: Self.most)
      }
    }
    found.sort { $0.lowerBound < $1.lowerBound }
    var merged: [Range<UInt64>] = []
    for range in found {
      if let last = merged.last, last.upperBound >= range.lowerBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    ranges = merged
  }

  /// The parts of a range that are among the numbers.
  func overlap(_ range: Range<UInt64>) -> some Sequence<Range<UInt64>> {
    let first = ranges.firstPlace { $0.upperBound <= range.lowerBound }
    return ranges[first...].lazy.prefix { $0.lowerBound < range.upperBound }
      .map { $0.clamped(to: range) }
  }

  /// Whether any number of a range is among them.
  func touches(_ range: Range<UInt64>) -> Bool { overlap(range).contains { !$0.isEmpty } }

  /// The way down the squares of one zoom.
  private struct Walk {
    let zoom: Int
    let columns: ClosedRange<Int>
    let rows: ClosedRange<Int>

    func collect(in found: inout [Range<UInt64>], most: Int) throws(ArchiveError) {
      var squares = [TileAddress(zoom: 0, x: 0, y: 0)].compactMap(\.self)
      while let square = squares.popLast() {
        let steps = zoom - square.zoom
        let width = square.x << steps...((square.x + 1) << steps) - 1
        let height = square.y << steps...((square.y + 1) << steps) - 1
        guard width.overlaps(columns), height.overlaps(rows) else { continue }
        if columns.contains(width), rows.contains(height) {
          found.append(square.numbers(atZoom: zoom))
          guard found.count <= most else { throw .tooLarge("The area") }
        } else {
          for (right, lower) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let part = TileAddress(
              zoom: square.zoom + 1, x: square.x * 2 + right, y: square.y * 2 + lower)
            if let part { squares.append(part) }
          }
        }
      }
    }
  }
}

extension TileAddress {
  /// The numbers of all tiles of a higher zoom within this one.
  fileprivate func numbers(atZoom zoom: Int) -> Range<UInt64> {
    let shift = UInt64(2 * (zoom - self.zoom))
    let place = number - Self.firstNumber(ofZoom: self.zoom)
    let first = Self.firstNumber(ofZoom: zoom) + (place << shift)
    return first..<first + (1 << shift)
  }
}
