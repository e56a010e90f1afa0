import Foundation
import RallyWire

/// A place as a number that interleaves 31 bits each of latitude and longitude.
///
/// Nearby places mostly have near numbers, so that a box on the globe is a few ranges of an index
/// (G. M. Morton, "A computer oriented geodetic data base", IBM 1966).
package struct ZOrder: Hashable, Sendable {
  /// Bits per axis.
  static let bits = 31

  /// 0..<2^62.
  package let value: Int64

  package init(_ place: Coordinate) {
    value = ZOrder.interleaved(
      row: ZOrder.row(latitudeUnits: place.latitudeUnits),
      column: ZOrder.column(longitudeUnits: place.longitudeUnits))
  }

  /// Counted from the south pole, 0..<2^31.
  static func row(latitudeUnits: Int64) -> Int64 {
    let unit = Coordinate.unitsPerDegree
    return ((latitudeUnits + 90 * unit) << bits) / (180 * unit + 1)
  }

  /// Counted from longitude -180 to the east, 0..<2^31.
  static func column(longitudeUnits: Int64) -> Int64 {
    let unit = Coordinate.unitsPerDegree
    return ((longitudeUnits + 180 * unit) << bits) / (360 * unit)
  }

  static func interleaved(row: Int64, column: Int64) -> Int64 {
    spread(row) << 1 | spread(column)
  }

  /// Inserts a zero bit before each of the lower 32 bits.
  private static func spread(_ number: Int64) -> Int64 {
    var bits = number & 0xFFFF_FFFF
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555
  }
}

extension ZOrder {
  /// Inclusive rows and columns of the curve's finest grid.
  struct Box: Hashable, Sendable {
    var rows: ClosedRange<Int64>
    var columns: ClosedRange<Int64>
  }

  /// A square whose size is a power of two: one range of the curve.
  private struct Square {
    var row: Int64
    var column: Int64
    /// The depth of subdivision.
    var depth: Int

    private var size: Int64 { 1 << Int64(bits - depth) }

    var range: ClosedRange<Int64> {
      let start = interleaved(row: row, column: column)
      return start...(start + (size * size - 1))
    }

    func meets(_ box: Box) -> Bool {
      box.rows.overlaps(row...(row + size - 1))
        && box.columns.overlaps(column...(column + size - 1))
    }

    func isInside(_ box: Box) -> Bool {
      box.rows.lowerBound <= row && row + size - 1 <= box.rows.upperBound
        && box.columns.lowerBound <= column && column + size - 1 <= box.columns.upperBound
    }

    var quarters: [Square] {
      let half = size / 2
      return [(0, 0), (0, half), (half, 0), (half, half)].map {
        Square(row: row + $0.0, column: column + $0.1, depth: depth + 1)
      }
    }
  }

  /// Ranges of the curve that contain every place within `radius` metres of `centre`, and others.
  ///
  /// - Parameter limit: The approximate number of ranges; more of them contain fewer other places.
  package static func ranges(around centre: Coordinate, radius: Double, limit: Int) -> [ClosedRange<
    Int64
  >] {
    let boxes = boxes(around: centre, radius: radius)
    var found: [Square] = []
    var open = [Square(row: 0, column: 0, depth: 0)]
    while !open.isEmpty {
      var next: [Square] = []
      for square in open.flatMap(\.quarters) where boxes.contains(where: square.meets) {
        if square.depth == bits || boxes.contains(where: square.isInside) {
          found.append(square)
        } else {
          next.append(square)
        }
      }
      open = next
      if found.count + open.count > limit / 2 { break }
    }
    return merged((found + open).map(\.range))
  }

  private static func merged(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
      if let last = merged.last, last.upperBound + 1 >= range.lowerBound {
        merged[merged.count - 1] =
          last.lowerBound...Swift.max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
  }

  /// One box around a circle, two where it crosses the antimeridian; a circle that touches a pole
  /// has all longitudes.
  ///
  /// The width is that of the circle's widest point, which lies nearer to the pole than its centre
  /// (J. P. Matuschek, "Finding Points Within a Distance of a Latitude/Longitude").
  static func boxes(around centre: Coordinate, radius: Double) -> [Box] {
    let unit = Coordinate.unitsPerDegree
    // A few centimetres more, because of rounding.
    let angle = radius / Coordinate.earthRadius + 4e-9
    let degrees = angle * 180 / .pi
    func units(_ degrees: Double) -> Int64 { Int64((degrees * Double(unit)).rounded(.up)) }
    let (south, north) = (centre.latitude - degrees, centre.latitude + degrees)
    let rows =
      row(
        latitudeUnits: max(-90 * unit, units(max(south, -90)) - 1))...row(
        latitudeUnits: min(90 * unit, units(min(north, 90))))
    let last: Int64 = 360 * unit - 1
    func box(_ west: Int64, _ east: Int64) -> Box {
      Box(
        rows: rows,
        columns: column(
          longitudeUnits: west - 180 * unit)...column(
            longitudeUnits: east - 180 * unit))
    }
    guard south > -90, north < 90 else { return [box(0, last)] }
    let half = units(asin(min(1, sin(angle) / cos(centre.latitude * .pi / 180))) * 180 / .pi)
    // Ten-millionths of a degree east of the antimeridian.
    let middle = centre.longitudeUnits + 180 * unit
    let (west, east) = (middle - half - 1, middle + half + 1)
    if west < 0 { return [box(0, east), box(west + 360 * unit, last)] }
    if east > last { return [box(west, last), box(0, east - 360 * unit)] }
    return [box(west, east)]
  }
}
