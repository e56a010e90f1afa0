import Observation
import RallyDomain
import RallyMap
import RallyWire

/// How this person looks at the map: what is neither the server's nor of any use to another tab.
@MainActor
@Observable
final class MapViewState {
  /// Whether the night side is dimmed.
  var isNightShown = true
  /// The focus that was carried out last.
  @ObservationIgnored var shownFocus = 0
  @ObservationIgnored let picture = MapPicture()

  /// The view after a move by hand.
  func apply(_ viewport: Viewport, to store: MapStore) {
    picture.move(to: viewport)
    store.letGoOfFrame()
    store.centre = viewport.center.coordinate
    store.zoom = viewport.isWholeWorld ? nil : viewport.zoom
  }

  /// The whole world, wherever one was.
  func showWorld(_ store: MapStore) {
    picture.move(
      to: .wholeWorld(columns: picture.viewport.columns, rows: picture.viewport.rows))
    store.letGoOfFrame()
    store.centre = nil
    store.zoom = nil
  }

  /// Carries out what the map was asked to show, once.
  func carryOut(_ focus: MapFocus?, in store: MapStore) {
    guard let focus, focus.revision > shownFocus else { return }
    shownFocus = focus.revision
    if let framing = store.framing, focus.revision <= framing.focusRevision { return }
    let viewport = picture.viewport
    switch focus.target {
    case .world: showWorld(store)
    case .place(let coordinate):
      let zoom = focus.scale.zoom.map { max($0, viewport.zoom) } ?? viewport.zoom
      apply(viewport.showing(GeoPoint(coordinate), zoom: zoom), to: store)
    case .all(let coordinates):
      apply(viewport.fitting(coordinates.map(GeoPoint.init)), to: store)
    }
  }
}

extension MapFocus.Scale {
  /// Doublings of a world of 256 dots; nil keeps what is.
  var zoom: Double? {
    switch self {
    case .same: nil
    case .country: 4
    case .city: 8
    case .street: 11
    }
  }
}
