import RallyMap
import Testing

@testable import RallyStreets

@Suite(
  .disabled(if: PythonDecoder.isSkipped, "Python cannot be had here: see .build/python-skipped"))
struct IndependentDecoderTests {
  @Test(arguments: try StreetFixtures.tileNames)
  func `decoded tiles equal an independent decoder's`(name: String) throws {
    // Given
    let bytes = try StreetFixtures.tile(name)
    // When
    let ours = try TileDump.lines(bytes)
    let theirs = try PythonDecoder.lines("decode", tile: bytes)
    // Then
    #expect(ours.count == theirs.count)
    for (index, (our, their)) in zip(ours, theirs).enumerated() where our != their {
      Issue.record("line \(index) is\n\(our)\nand should be\n\(their)")
      break
    }
  }

  @Test(arguments: try StreetFixtures.tileNames.filter { $0.contains("-14-") })
  func `the fill at random points is what the data says`(name: String) throws {
    // Given
    let bytes = try StreetFixtures.tile(name)
    let tile = try GroundTile(vectorTile: bytes, at: StreetFixtures.address(name))
    let areas: [(String, GroundKind)] = [
      ("green", .green), ("water", .water), ("building", .building),
    ]
    // When
    let spots = try PythonDecoder.lines("fill", tile: bytes)
    // Then
    #expect(spots.count == 1_500)
    for spot in spots {
      let columns = spot.split(separator: "\t", omittingEmptySubsequences: false)
      let (x, y) = (try #require(Double(columns[0])), try #require(Double(columns[1])))
      let found = areas.filter { tile.fills($0.1, x: x, y: y) }.map(\.0).joined(separator: ",")
      #expect(found == columns[2], "at \(x), \(y)")
    }
  }
}

extension GroundTile {
  /// Whether an area of a class contains a point, by the even-odd rule.
  func fills(_ kind: GroundKind, x: Double, y: Double) -> Bool {
    shapes.contains { shape in
      guard shape.kind == kind, Double(shape.low.x) <= x, x <= Double(shape.high.x),
        Double(shape.low.y) <= y, y <= Double(shape.high.y)
      else { return false }
      var isInside = false
      for part in parts[Int(shape.parts.lowerBound)..<Int(shape.parts.upperBound)] {
        var from = vertices[Int(part.upperBound) - 1]
        for to in vertices[Int(part.lowerBound)..<Int(part.upperBound)] {
          let (x0, y0) = (Double(from.x), Double(from.y))
          let (x1, y1) = (Double(to.x), Double(to.y))
          if (y0 > y) != (y1 > y), x < x0 + (y - y0) * (x1 - x0) / (y1 - y0) { isInside.toggle() }
          from = to
        }
      }
      return isInside
    }
  }
}
