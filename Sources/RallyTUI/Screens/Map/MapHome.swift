import Foundation
import RallyDomain
import RallyMap
import RallyWire

/// The Map tab: the world with one's people on it, and the list of them beside it.
struct MapHome: View {
  @Environment(\.mapStore) private var mapStore
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.navigationService) private var navigationService
  @Environment(\.isPlain) private var isPlain
  @Environment(\.mapGlyphs) private var mapGlyphs
  @State private var look = MapLook()

  /// From this width on the list stands beside the map.
  static let twoPaneWidth = 76

  var body: some View {
    let positions = mapStore.positionsByDistance(at: look.now)
    VStack(spacing: 0) {
      panes(positions)
      MapActions(look: look)
    }
    .task(id: mapStore.nextAgeChange(after: look.now)) { await waitForAge() }
    .onChange(of: mapStore.positions) { _, _ in look.now = .now }
    .onChange(of: mapStore.asOf) { _, _ in look.now = .now }
    .onChange(of: mapStore.focus) { look.carryOut($1, in: mapStore) }
    .task { look.carryOut(mapStore.focus, in: mapStore) }
  }

  @ViewBuilder private func panes(_ positions: [FriendPosition]) -> some View {
    if isPlain {
      MapSideList(positions: positions, width: terminalSize.width, now: look.now, isAlone: true)
    } else if terminalSize.width >= Self.twoPaneWidth {
      let side = min(max(terminalSize.width / 4, 28), 40)
      HStack(spacing: 0) {
        map(positions).frame(maxWidth: .max, maxHeight: .max)
        VerticalRule()
        MapSideList(positions: positions, width: side, now: look.now)
          .frame(width: side)
          .frame(maxHeight: .max, alignment: .topLeading)
      }
    } else if case .person(let id) = navigationService.route,
      let position = mapStore.position(of: id)
    {
      PositionDetail(position: position, now: look.now)
        .frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
    } else {
      map(positions)
    }
  }

  private func map(_ positions: [FriendPosition]) -> some View {
    MapCanvas(scene: scene(positions), picture: look.picture) { pin in
      select(pin)
    } onMove: { viewport in
      mapStore.follow(nil)
      look.apply(viewport, to: mapStore)
    }
  }

  private func scene(_ positions: [FriendPosition]) -> MapScene {
    let selectedID = mapStore.selectedID
    return MapScene(
      zoom: mapStore.zoom, centre: mapStore.centre.map(GeoPoint.init),
      markers: MapMarkers.markers(
        positions, me: mapStore.myPosition, trails: mapStore.trails, selectedID: selectedID,
        glyphs: mapGlyphs, at: look.now),
      selectedID: selectedID.map(MapMarkers.id),
      options: MapOptions(
        glyphs: mapGlyphs, night: look.isNightShown ? look.now.date : nil,
        distanceOrigin: mapStore.myPosition.map { GeoPoint($0.coordinate) }))
  }

  private func select(_ pin: PlacedPin) {
    let friends = pin.ids.compactMap(MapMarkers.friendID)
    mapStore.select(friends.first)
    guard pin.isCluster else { return }
    // A click on a cluster takes it apart.
    mapStore.show(.all(friends.compactMap { mapStore.position(of: $0)?.coordinate }))
  }

  /// Marks of age change by themselves; the map waits for the next one instead of looking again
  /// and again.
  private func waitForAge() async {
    guard let change = mapStore.nextAgeChange(after: look.now) else { return }
    do {
      try await Pause.for(max(.zero, change.since(.now)), tolerance: .seconds(5))
      look.now = .now
    } catch {
      return  // another change comes first
    }
  }
}
