import RallyDomain
import RallyMap
import TerminalKit

/// A map of places that belong together, as large as its frame; no key moves it.
struct SmallMap: View {
  let markers: [MapMarker]
  /// What is in view.
  let fitted: [GeoPoint]
  var selectedID: String?
  /// Where the rings are drawn round and distances count from; nil for the middle.
  var origin: GeoPoint?
  /// It was clicked.
  var onOpen: @MainActor () -> Void = {}

  @Environment(\.groundStore) private var groundStore
  @Environment(\.mapGlyphs) private var mapGlyphs
  @Environment(\.paintsAreas) private var paintsAreas
  @State private var picture = MapPicture()

  var body: some View {
    MapCanvas(scene: scene, picture: picture) { _ in
      onOpen()
    } onMove: { _ in
    } onDraw: { viewport in
      groundStore.show(viewport)
    }
  }

  private var scene: MapScene {
    MapScene(
      fitted: fitted, markers: markers, selectedID: selectedID, ground: groundStore.ground,
      options: MapOptions(
        glyphs: mapGlyphs, fillStyle: paintsAreas ? .background : .stipple,
        distanceOrigin: origin))
  }
}
