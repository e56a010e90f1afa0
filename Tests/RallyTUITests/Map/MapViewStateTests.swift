import RallyDomain
import RallyMap
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI
@testable import TerminalKit

@Suite struct MapViewStateTests {
  /// One step of what the store keeps of a place: a ten-millionth of a degree.
  private static let step = 1e-7

  @Test func `going to a place shows what the printed map shows of it`() async throws {
    try await TestServer.with { server in
      let store = try await TestPerson(signingUp: "ana", on: server).makeMapStore()
      let cities = try WorldMap.shared.cities()
      for capital in cities.indices.map({ cities[$0] }).filter(\.isCapital) {
        let viewState = MapViewState()
        store.show(.place(try #require(capital.point.coordinate)), scale: .city)

        viewState.carryOut(store.focus, in: store)

        let shown = MapPicture.viewport(
          zoom: store.zoom, centre: store.centre.map(GeoPoint.init),
          size: Size(width: 80, height: 19))
        let printed = Viewport.wholeWorld(columns: 80, rows: 19).showing(capital.point, zoom: 8)
        #expect(shown.zoom == printed.zoom)
        #expect(
          abs(shown.center.latitude - printed.center.latitude) <= Self.step, "\(capital.name)")
        #expect(
          abs(shown.center.longitude - printed.center.longitude) <= Self.step, "\(capital.name)")
        #expect(viewState.picture.viewport.center.coordinate == store.centre)
      }
    }
  }
}
