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
      guard length >= 2 else {
        throw .impossibleValue(offset: start)
      }
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
