import RallyWire

/// The lines around a place: what is in a message of the kind `.ground`.
///
/// Big-endian. First the middle as two numbers of 32 bits in ten-millionths of a degree, then the
/// unit in decimetres and the number of lines in 16 bits each. Each line has its kind in 8 bits and
/// the number of its points in 16. Each point is its way east and north from the middle in units,
/// 16 bits each.
public struct WatchGround: Hashable, Sendable {
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case water = 1
    case road, path, rail, border
  }

  public struct Line: Hashable, Sendable {
    public var kind: Kind
    /// Units east and north from the middle.
    public var points: [SIMD2<Int16>]

    public init(kind: Kind, points: [SIMD2<Int16>]) {
      self.kind = kind
      self.points = points
    }

    fileprivate var size: Int { 3 + 4 * points.count }
  }

  public let middle: Coordinate
  /// Decimetres.
  public let unit: UInt16
  public private(set) var lines: [Line] = []
  private var size = 12

  public init(around middle: Coordinate, unit: UInt16) {
    self.middle = middle
    self.unit = unit
  }

  /// Adds a line.
  ///
  /// - Returns: Whether there was room for it.
  public mutating func add(_ line: Line) -> Bool {
    guard size + line.size <= WatchKind.ground.size, lines.count < Int(UInt16.max),
      line.points.count <= Int(UInt16.max)
    else { return false }
    lines.append(line)
    size += line.size
    return true
  }

  public func message(counter: Int64, of link: WatchAddress) -> WatchMessage {
    guard let message = WatchMessage(bytes, .ground, counter: counter, of: link) else {
      preconditionFailure("No line is taken that does not fit.")
    }
    return message
  }

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    append(Int32(truncatingIfNeeded: middle.latitudeUnits))
    append(Int32(truncatingIfNeeded: middle.longitudeUnits))
    append(unit)
    append(UInt16(lines.count))
    for line in lines {
      append(line.kind.rawValue)
      append(UInt16(line.points.count))
      for point in line.points {
        append(point.x)
        append(point.y)
      }
    }
    return bytes
  }
}
