import RallyMap
import Testing

@testable import RallyStreets

/// Vectors of the PMTiles specification, version 3.
@Suite struct TileNumberTests {
  @Test(arguments: [
    (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5),
    (12, 3423, 1763, 19_078_479),
  ])
  func `a tile's number is its place on the Hilbert curve`(
    zoom: Int, x: Int, y: Int, number: UInt64
  ) throws {
    let address = try #require(TileAddress(zoom: zoom, x: x, y: y))
    #expect(address.number == number)
  }

  @Test func `a number leads back to its tile`() {
    for number in (0..<90_000).map(UInt64.init) {
      #expect(TileAddress(number: number)?.number == number)
    }
    for zoom in 0...TileAddress.maximumZoom {
      let last = (1 << zoom) - 1
      for (x, y) in [(0, 0), (last, 0), (0, last), (last, last), (last / 2, last / 3)] {
        let address = TileAddress(zoom: zoom, x: x, y: y)
        #expect(address.flatMap { TileAddress(number: $0.number) } == address)
      }
    }
    #expect(TileAddress(number: TileAddress.firstNumber(ofZoom: 24) + 1 << 48) == nil)
  }
}
