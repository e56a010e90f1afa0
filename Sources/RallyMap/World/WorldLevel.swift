/// All lines of the world at one level of detail, in world units (`WorldUnits`).
///
/// To fill land, apply the even-odd rule to the chunks whose `kind.bounds` is true; inner borders
/// are not needed. The world repeats every 65,535 units of x. Seams at both edges have the same end
/// points, so they cancel out across the antimeridian.
public struct WorldLevel: Sendable {
  public let xs: ContiguousArray<UInt16>
  public let ys: ContiguousArray<UInt16>
  public let chunks: ContiguousArray<LineChunk>
  /// Index of the first chunk of each arc, followed by the number of chunks.
  let arcStarts: ContiguousArray<UInt32>

  /// The number of arcs (lines between two junctions).
  public var arcCount: Int { arcStarts.count - 1 }

  /// The chunks of one arc. `index` is 0..<arcCount.
  func chunks(ofArc index: Int) -> Range<Int> { Int(arcStarts[index])..<Int(arcStarts[index + 1]) }
}

extension WorldLevel {
  /// Segments per chunk. Small bounding boxes cull better, long chunks use less memory; 96 was
  /// chosen by measurement.
  static let chunkLength = 96

  /// Decodes a level: vertex count, arc count, then per arc its kind, vertex count, start and the
  /// deltas between vertices.
  init(_ reader: inout ByteReader) throws(WorldMapError) {
    // A vertex takes at least two bytes and an arc six, so that forged counts cannot allocate more
    // than four times the section's size.
    let vertexCount = try reader.count(bytesEach: 2)
    let arcCount = try reader.count(bytesEach: 6)
    var xs = ContiguousArray<UInt16>()
    var ys = ContiguousArray<UInt16>()
    var chunks = ContiguousArray<LineChunk>()
    var arcStarts = ContiguousArray<UInt32>()
    xs.reserveCapacity(vertexCount)
    ys.reserveCapacity(vertexCount)
    chunks.reserveCapacity(arcCount + vertexCount / Self.chunkLength)
    arcStarts.reserveCapacity(arcCount + 1)
    for _ in 0..<arcCount {
      let start = reader.offset
      guard let kind = LineKind(rawValue: try reader.byte()) else {
        throw .impossibleValue(offset: start)
      }
      let length = try reader.varint()
      guard length >= 2 else { throw .impossibleValue(offset: start) }
      let first = xs.count
      try Self.readVertices(length, from: &reader, xs: &xs, ys: &ys)
      arcStarts.append(UInt32(chunks.count))
      Self.appendChunks(kind, first..<xs.count, xs: xs, ys: ys, to: &chunks)
    }
    guard xs.count == vertexCount else { throw .impossibleValue(offset: reader.offset) }
    arcStarts.append(UInt32(chunks.count))
    self.init(xs: xs, ys: ys, chunks: chunks, arcStarts: arcStarts)
  }

  private static func readVertices(
    _ length: Int, from reader: inout ByteReader, xs: inout ContiguousArray<UInt16>,
    ys: inout ContiguousArray<UInt16>
  ) throws(WorldMapError) {
    var x = Int(try reader.uint16())
    var y = Int(try reader.uint16())
    xs.append(UInt16(x))
    ys.append(UInt16(y))
    for _ in 1..<length {
      x += try reader.zigzag()
      y += try reader.zigzag()
      guard let exactX = UInt16(exactly: x), let exactY = UInt16(exactly: y) else {
        throw .impossibleValue(offset: reader.offset)
      }
      xs.append(exactX)
      ys.append(exactY)
    }
  }

  private static func appendChunks(
    _ kind: LineKind, _ points: Range<Int>, xs: ContiguousArray<UInt16>,
    ys: ContiguousArray<UInt16>, to chunks: inout ContiguousArray<LineChunk>
  ) {
    var first = points.lowerBound
    while first < points.upperBound - 1 {
      let last = min(first + chunkLength, points.upperBound - 1)
      var (minX, minY, maxX, maxY) = (xs[first], ys[first], xs[first], ys[first])
      for index in first + 1...last {
        minX = min(minX, xs[index])
        maxX = max(maxX, xs[index])
        minY = min(minY, ys[index])
        maxY = max(maxY, ys[index])
      }
      chunks.append(
        LineChunk(
          minX: minX, minY: minY, maxX: maxX, maxY: maxY, first: UInt32(first),
          count: UInt16(last - first + 1), kind: kind))
      first = last
    }
  }
}

/// Level of detail of coasts and borders. All levels share one topology and are simplified arc by
/// arc, so that neighbouring areas stay joined.
///
/// A decoded level takes 4 bytes per vertex and 16 per chunk: about 70, 140, 250 and 400 kB.
public enum DetailLevel: UInt8, CaseIterable, Comparable, Hashable, Sendable {
  /// For the whole world: tolerance 60 world units, islands smaller than 60 × 60 units dropped.
  case world = 0
  /// Tolerance 20 units, islands smaller than 14 × 14 units dropped.
  case continent = 1
  /// Tolerance 5 units, islands smaller than 5 × 5 units dropped.
  case region = 2
  /// The unsimplified source (Natural Earth 1:50 million) on the unit grid; used by hit tests.
  case finest = 3

  /// The coarsest level whose error stays below about one dot.
  ///
  /// - Parameter unitsPerDot: World units (`WorldUnits`) per dot of the canvas; zero and negative
  ///   values select the finest level.
  public init(unitsPerDot: Double) {
    switch unitsPerDot {
    case 75...: self = .world
    case 25...: self = .continent
    case 7...: self = .region
    default: self = .finest
    }
  }

  public static func < (left: DetailLevel, right: DetailLevel) -> Bool {
    left.rawValue < right.rawValue
  }

  var section: WorldSection {
    switch self {
    case .world: .level0
    case .continent: .level1
    case .region: .level2
    case .finest: .level3
    }
  }
}

/// The kind of a map line.
public enum LineKind: UInt8, CaseIterable, Hashable, Sendable {
  /// Between land and sea.
  case coast = 0
  /// Between two countries.
  case border = 1
  /// A disputed border; drawn differently from others and never attributed to an owner.
  case disputed = 2
  /// Between two states, provinces or territories of one country.
  case state = 3
  /// A lake's shore, and the shore of an island in a lake.
  case lake = 4
  /// An artificial edge at 180° or along the square's south edge. Closes areas; never drawn.
  case seam = 5

  /// Whether the line separates land from water: the edges of an even-odd fill.
  public var bounds: Bool {
    switch self {
    case .coast, .lake, .seam: true
    case .border, .disputed, .state: false
    }
  }

  /// Whether the line is drawn.
  public var isVisible: Bool { self != .seam }
}

/// A piece of a line with its bounding box, the unit of culling. At most 97 vertices; in longer
/// lines each chunk starts with the last vertex of the previous one.
public struct LineChunk: Hashable, Sendable {
  public let minX: UInt16
  public let minY: UInt16
  public let maxX: UInt16
  public let maxY: UInt16
  let first: UInt32
  let count: UInt16
  public let kind: LineKind

  /// Indices of consecutive vertices in the level's `xs` and `ys`; at least two.
  public var points: Range<Int> {
    let start = Int(first)
    return start..<start + Int(count)
  }
}

/// The integer grid of the packed world's vertices. It is the web Mercator square with 65,535 units
/// per side, x to the east from 180° W, y to the south from 85.0511° N. A unit is 611 m at the
/// equator.
public enum WorldUnits {
  /// Units per side: x 0 and x 65,535 are the same meridian.
  public static let span = 65_535.0
}

extension WorldPoint {
  /// Converts a vertex from world units.
  public init(unitX: Double, unitY: Double) {
    self.init(x: unitX / WorldUnits.span, y: unitY / WorldUnits.span)
  }
}
