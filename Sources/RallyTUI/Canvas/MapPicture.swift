import RallyDomain
import RallyEnvironment
import RallyMap
import RallySystem
import RallyWire
import TerminalKit

/// What the map shows now: everything that a frame of it depends on.
struct MapScene: Equatable {
  /// Nil follows the size of the pane: the whole world.
  var zoom: Double?
  var centre: GeoPoint?
  /// What must be in view, whatever the size; replaces zoom and centre unless it is empty.
  var fitted: [GeoPoint] = []
  var markers: [MapMarker]
  var selectedID: String?
  var ground = MapGround.none
  var options: MapOptions
}

/// The map as it was drawn last, kept from one frame to the next.
///
/// Every key on the screen draws every pane again; the map is only made anew when its scene or its size
/// is another one.
final class MapPicture {
  private let renderer = MapRenderer(
    width: { CellWidth.width(of: $0) }, distance: GeoText.distance(_:uncertainty:))
  private var last: (scene: MapScene, frame: MapFrame)?

  /// Pins that have just come: each blinks once.
  var arrivals = Arrivals<String>(length: .milliseconds(400))

  /// What keys and the mouse count from: the view as it is on the screen.
  private(set) var viewport = Viewport.wholeWorld(columns: 80, rows: 20)

  var frame: MapFrame? { last?.frame }

  /// The view that the next frame will show: the next key of a burst counts from it.
  func move(to viewport: Viewport) { self.viewport = viewport }

  func frame(of scene: MapScene, size: Size) -> MapFrame {
    let viewport = Self.viewport(of: scene, size: size)
    self.viewport = viewport
    if let last, last.scene == scene, last.frame.viewport == viewport { return last.frame }
    let frame = renderer.frame(
      viewport, markers: scene.markers, ground: scene.ground, options: scene.options)
    last = (scene, frame)
    return frame
  }

  static func viewport(of scene: MapScene, size: Size) -> Viewport {
    guard !scene.fitted.isEmpty else {
      return viewport(zoom: scene.zoom, centre: scene.centre, size: size)
    }
    return Viewport.wholeWorld(columns: size.width, rows: size.height)
      .fitting(scene.fitted, maximumZoom: nearestFittedZoom)
  }

  /// About the width of a street on a small map.
  private static let nearestFittedZoom = 16.5

  static func viewport(zoom: Double?, centre: GeoPoint?, size: Size) -> Viewport {
    let whole = Viewport.wholeWorld(columns: size.width, rows: size.height)
    return whole.showing(centre ?? whole.center, zoom: zoom)
  }
}

extension EnvironmentValues {
  /// Whether maps paint areas now.
  var paintsAreas: Bool {
    terminal.paintsAreas
      && configuration.mapStyle.paintsAreas(
        byPolicy: runtimePolicyCoordinator.allowsPaintedAreas)
  }
}

extension MapStyleSetting {
  /// Whether areas are painted on a terminal that can.
  ///
  /// - Parameter isAllowed: By the policy, which `auto` follows.
  func paintsAreas(byPolicy isAllowed: Bool) -> Bool {
    switch self {
    case .auto: isAllowed
    case .full: true
    case .plain: false
    }
  }
}

private struct MapGlyphsKey: EnvironmentKey {
  static let defaultValue = GlyphSet.braille
}

extension EnvironmentValues {
  /// What the map is drawn with on this terminal.
  public var mapGlyphs: GlyphSet {
    get { self[MapGlyphsKey.self] }
    set { self[MapGlyphsKey.self] = newValue }
  }
}
