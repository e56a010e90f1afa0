@testable import RallyStreets

/// Decodes all of a tile, to the lines that `Tests/Compatibility/tiles.py decode` prints.
enum TileDump {
  static func lines(_ bytes: [UInt8]) throws(VectorTileError) -> [String] {
    try bytes.withUnsafeBufferPointer { bytes throws(VectorTileError) in
      var lines: [String] = []
      for layer in try VectorTile.layers(in: UnsafeRawBufferPointer(bytes)) {
        let dictionary = try layer.dictionary()
        let header = lines.count
        lines.append("")
        try layer.forEachFeature { feature throws(VectorTileError) in
          var properties: [String: String] = [:]
          try feature.forEachProperty(of: dictionary) { key, value throws(VectorTileError) in
            properties[dictionary.key(at: key)] = text(try dictionary.value(at: value))
          }
          let listed = properties.map { "\($0)=\($1)" }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: " | ")
          let parts = try parts(of: feature).map { part in
            part.map { "\($0.x),\($0.y)" }.joined(separator: " ")
          }
          lines.append(
            [
              "\(feature.id ?? 0)", "\(feature.type.rawValue)", listed,
              parts.joined(separator: ";"),
            ].joined(separator: "\t"))
        }
        lines[header] = [
          "layer", layer.name, "\(layer.version)", "\(layer.extent)", "\(lines.count - header - 1)",
        ].joined(separator: "\t")
      }
      return lines
    }
  }

  typealias Point = (x: Int, y: Int)

  /// The feature's points, runs or rings; as the other decoder has them: rings closed, and without
  /// those that have no area.
  static func parts(of feature: VectorTileFeature) throws(VectorTileError) -> [[Point]] {
    var parts: [[Point]] = []
    var geometry = feature.geometry
    while let step = try geometry.next() {
      switch step {
      case .move where feature.type == .point && !parts.isEmpty, .line:
        parts[parts.count - 1].append((geometry.x, geometry.y))
      case .move: parts.append([(geometry.x, geometry.y)])
      case .close: break
      }
    }
    guard feature.type == .polygon else { return parts }
    return parts.map { ring in
      ring.first.map { first in ring.last.map { $0 == first } ?? true ? ring : ring + [first] }
        ?? []
    }.filter { area($0) != 0 }
  }

  private static func area(_ ring: [Point]) -> Int {
    zip(ring, ring.dropFirst()).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }
  }

  private static func text(_ value: VectorTileValue) -> String {
    switch value {
    case .string(let text):
      "s:" + String(text.unicodeScalars.flatMap { escape($0).unicodeScalars }.map(Character.init))
    case .float(let number): "f:" + hexadecimal(Double(number))
    case .double(let number): "f:" + hexadecimal(number)
    case .int(let number): "i:\(number)"
    case .uint(let number): "i:\(number)"
    case .bool(let truth): "b:\(truth ? 1 : 0)"
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\\": "\\\\"
    case "\t": "\\t"
    case "\n": "\\n"
    default: String(scalar)
    }
  }

  private static func hexadecimal(_ number: Double) -> String {
    let digits = String(number.bitPattern, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
