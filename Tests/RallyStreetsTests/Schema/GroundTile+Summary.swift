import RallyMap

@testable import RallyStreets

extension GroundTile {
  /// Decodes a tile that a test wrote, at 14/8529/5974 in Monaco.
  static func decoded(_ bytes: [UInt8]) throws -> GroundTile {
    try GroundTile(vectorTile: bytes, at: StreetFixtures.address(StreetFixtures.monaco))
  }

  /// Its shapes as `kind x,y x,y;x,y`.
  var shapeTexts: [String] { shapes.map { "\($0.kind) \(text($0.parts))" } }

  /// Its labels as `kind rank name x,y x,y`.
  var labelTexts: [String] {
    labels.map { "\($0.kind) \($0.rank) \(names[Int($0.name)]) \(text($0.parts))" }
  }

  /// The kinds of its shapes, in the tile's order.
  var shapeKinds: [GroundKind] { shapes.map(\.kind) }

  private func text(_ range: Range<Int32>) -> String {
    parts[Int(range.lowerBound)..<Int(range.upperBound)].map { part in
      vertices[Int(part.lowerBound)..<Int(part.upperBound)].map { "\($0.x),\($0.y)" }
        .joined(separator: " ")
    }.joined(separator: ";")
  }
}
