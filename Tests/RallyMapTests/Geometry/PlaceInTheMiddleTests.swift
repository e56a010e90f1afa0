import Foundation
import RallyMap
import Testing

/// A place that is asked for is in the middle of the view, wherever on earth it lies.
struct PlaceInTheMiddleTests {
  private static let sizes = [(80, 24), (120, 40), (60, 16), (41, 11), (200, 60), (30, 70), (1, 1)]
  private static let zooms = [0, 0.5, 1, 2, 3.3, 4, 6, 8, 11, 14, 18.0]

  /// Half a cell for the lattice, and what binary fractions lose.
  private static let tolerance = 0.5 + 1e-6

  /// Whether a place is in the middle row, or the view ends where the world does on the side to
  /// which the place lies.
  private func isAsNearAsPossible(_ place: GeoPoint, in view: Viewport) -> Bool {
    let row = view.position(of: place).row - Double(view.rows) / 2
    if abs(row) <= Self.tolerance { return true }
    if view.worldDots < Double(view.rows * 4) { return true }
    let edge = view.position(of: GeoPoint(latitude: row < 0 ? 90 : -90, longitude: 0)).row
    return abs(edge - (row < 0 ? 0 : Double(view.rows))) <= Self.tolerance
  }

  @Test(arguments: sizes)
  func `every capital is in the middle at every zoom`(_ columns: Int, _ rows: Int) throws {
    let cities = try WorldMap.shared.cities()
    let capitals = cities.indices.map { cities[$0] }.filter(\.isCapital)
    #expect(capitals.count > 180)
    let views = [
      Viewport.wholeWorld(columns: columns, rows: rows),
      Viewport(
        center: GeoPoint(latitude: -80, longitude: 170), zoom: 9, columns: columns, rows: rows),
    ]
    for capital in capitals {
      for zoom in Self.zooms {
        let shown = views.map { $0.showing(capital.point, zoom: zoom) }
        #expect(shown[0] == shown[1], "the view before leaves no trace")
        let middle = shown[0].position(of: capital.point)
        #expect(
          abs(middle.column - Double(columns) / 2) <= Self.tolerance, "\(capital.name) \(zoom)")
        #expect(isAsNearAsPossible(capital.point, in: shown[0]), "\(capital.name) \(zoom)")
        // From zoom 4 on, no capital is so near to a pole that the world's edge is in view.
        guard zoom >= 4, rows <= 40 else { continue }
        #expect(
          abs(middle.row - Double(rows) / 2) <= Self.tolerance, "\(capital.name) \(zoom)")
      }
    }
  }

  @Test func `a view at the south pole ends with the world and shows the land there`() {
    let whole = Viewport.wholeWorld(columns: 80, rows: 24)
    for zoom in Self.zooms where zoom >= 1 {
      for longitude in stride(from: -180.0, to: 180, by: 45) {
        for latitude in [-90, -89, -85.0] {
          let place = GeoPoint(latitude: latitude, longitude: longitude)
          let view = whole.showing(place, zoom: zoom)
          #expect(isAsNearAsPossible(place, in: view), "\(place) \(zoom)")
          let drawn = MapRenderer().frame(view).cells.contains {
            $0.ink == .land || !$0.isBlank && $0.ink != .outside
          }
          #expect(drawn, "\(place) \(zoom)")
        }
      }
    }
  }
}
