/// Encodes vector tiles for tests.
enum TileWriter {
  enum Value {
    case text(String)
    case number(Int)
    case float(Float)
    case truth(Bool)
  }

  enum Shape {
    case point(Int, Int)
    case line([(Int, Int)])
    case polygon([[(Int, Int)]])
  }

  struct Layer {
    var name: String
    var extent = 4_096
    var features: [(Shape, [String: Value])]
  }

  static func tile(_ layers: Layer...) -> [UInt8] {
    layers.flatMap { message(3, layer($0)) }
  }

  static func layer(_ layer: Layer) -> [UInt8] {
    var bytes = varint(15 << 3) + varint(2)
    bytes += message(1, Array(layer.name.utf8))
    bytes += varint(5 << 3) + varint(UInt64(layer.extent))
    var keys: [String] = []
    var values: [[UInt8]] = []
    for (shape, properties) in layer.features {
      var tags: [UInt8] = []
      for (key, value) in properties {
        tags += varint(UInt64(keys.count)) + varint(UInt64(values.count))
        keys.append(key)
        values.append(encoded(value))
      }
      bytes += message(2, feature(shape, tags: tags))
    }
    for key in keys { bytes += message(3, Array(key.utf8)) }
    for value in values { bytes += message(4, value) }
    return bytes
  }

  static func feature(_ shape: Shape, tags: [UInt8]) -> [UInt8] {
    var (x, y) = (0, 0)
    func moved(to point: (Int, Int)) -> [UInt8] {
      defer { (x, y) = point }
      return zigzag(point.0 - x) + zigzag(point.1 - y)
    }
    func run(_ points: [(Int, Int)]) -> [UInt8] {
      var bytes = varint(1 << 3 | 1) + moved(to: points[0])
      bytes += varint(UInt64(points.count - 1) << 3 | 2)
      for point in points.dropFirst() { bytes += moved(to: point) }
      return bytes
    }
    let (type, commands): (UInt64, [UInt8]) =
      switch shape {
      case .point(let x, let y): (1, varint(1 << 3 | 1) + moved(to: (x, y)))
      case .line(let points): (2, run(points))
      case .polygon(let rings): (3, rings.flatMap { run($0) + varint(1 << 3 | 7) })
      }
    return message(2, tags) + varint(3 << 3) + varint(type) + message(4, commands)
  }

  static func encoded(_ value: Value) -> [UInt8] {
    switch value {
    case .text(let text): message(1, Array(text.utf8))
    case .number(let number): varint(4 << 3) + varint(UInt64(bitPattern: Int64(number)))
    case .float(let number):
      varint(2 << 3 | 5) + (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> ($0 * 8)) }
    case .truth(let truth): varint(7 << 3) + varint(truth ? 1 : 0)
    }
  }

  /// A field that has a length.
  static func message(_ field: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(field << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  static func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }

  static func zigzag(_ value: Int) -> [UInt8] {
    varint(UInt64(UInt32(truncatingIfNeeded: value << 1 ^ value >> 63)))
  }
}
