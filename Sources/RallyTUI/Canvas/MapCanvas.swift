import RallyDomain
import RallyEnvironment
import RallyMap
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// The map itself with its scale, drawn into the pane it is given; clicks, drags and the wheel on it.
struct MapCanvas: View {
  let scene: MapScene
  let picture: MapPicture
  /// Whether a pin that arrives blinks.
  var hasMotion = false
  /// What is said near by without streets, the longest first.
  var missingStreets = ["no streets here"]
  /// Which pin was clicked.
  let onSelect: @MainActor (PlacedPin) -> Void
  /// The view after a drag or the wheel.
  let onMove: @MainActor (Viewport) -> Void
  /// Which pin was clicked twice.
  var onOpen: @MainActor (PlacedPin) -> Void = { _ in }
  /// The view that was drawn.
  var onDraw: @MainActor (Viewport) -> Void = { _ in }

  @State private var drag = MapDrag()

  var body: some View {
    let (scene, picture) = (scene, picture)
    CanvasView { canvas, rect in
      let frame = picture.frame(of: scene, size: rect.size)
      draw(frame, scene.selectedID, canvas, rect)
      drawArrivals(frame, canvas, rect)
      onDraw(picture.viewport)
    } onMouse: { event, rect in
      handle(event, in: rect)
    }
  }

  private func draw(_ frame: MapFrame, _ selectedID: String?, _ canvas: Canvas, _ rect: Rect) {
    for row in 0..<frame.rows {
      var last = Style.normal
      for column in 0..<frame.columns {
        let cell = frame[column, row]
        if cell.isBlank, !frame.paintsAreas || cell.isContinuation { continue }
        let (scalar, style) = frame.look(of: cell, after: last)
        last = style
        let point = Point(x: rect.minX + column, y: rect.minY + row)
        let isWide = column + 1 < frame.columns && frame[column + 1, row].isContinuation
        if cell.isSingleScalar, !isWide, !canvas.isPlain {
          canvas.put(scalar, at: point, style: style)
        } else if let character = frame.character(atColumn: column, row: row) {
          canvas.draw(String(character), at: point, style: style)
        }
      }
    }
    if let selectedID, let pin = frame.pin(of: selectedID) {
      for span in [pin.span, pin.label].compactMap(\.self) {
        canvas.restyle(
          Rect(x: rect.minX + span.column, y: rect.minY + span.row, width: span.width, height: 1)
        ) { Style(.selection, $0.attributes.subtracting(.dim)) }
      }
      canvas.setCursor(
        Point(x: rect.minX + pin.column, y: rect.minY + pin.row), isVisible: canvas.isPlain)
    }
    drawScale(frame, canvas, rect)
    drawAttribution(frame, canvas, rect)
  }

  /// Pins that have just come, reversed until the frame that is asked for.
  private func drawArrivals(_ frame: MapFrame, _ canvas: Canvas, _ rect: Rect) {
    guard hasMotion, !canvas.isPlain else { return picture.arrivals.forget() }
    picture.arrivals.update(Set(scene.markers.map(\.id)))
    let moving = picture.arrivals.elapsed(at: canvas.now)
    guard let longest = moving.values.max() else { return }
    canvas.requestFrame(after: picture.arrivals.length - longest)
    for pin in frame.pins where pin.ids.contains(where: { moving[$0] != nil }) {
      canvas.restyle(
        Rect(
          x: rect.minX + pin.span.column, y: rect.minY + pin.span.row, width: pin.span.width,
          height: 1)
      ) { $0.reverse }
    }
  }

  /// `└─ 4000 km ─┘` in the last row, where the sea or the land has to make room.
  private func drawScale(_ frame: MapFrame, _ canvas: Canvas, _ rect: Rect) {
    guard let text = frame.scaleText(glyphs: scene.options.glyphs) else { return }
    drawLegend(text, fromColumn: 0, frame, canvas, rect)
  }

  /// Who made the streets, in the lower right corner.
  private func drawAttribution(_ frame: MapFrame, _ canvas: Canvas, _ rect: Rect) {
    // On a small map the advice to add streets would be in the way.
    guard let text = frame.attributionText(missing: missingStreets),
      scene.fitted.isEmpty || !frame.needsStreets
    else { return }
    drawLegend(text, fromColumn: rect.width - text.cellWidth, frame, canvas, rect)
  }

  /// A text in the last row, on the areas that are painted there.
  private func drawLegend(
    _ text: String, fromColumn first: Int, _ frame: MapFrame, _ canvas: Canvas, _ rect: Rect
  ) {
    var column = first
    for character in text {
      let isOnMap = (0..<frame.columns).contains(column) && rect.height == frame.rows
      canvas.draw(
        String(character), at: Point(x: rect.minX + column, y: rect.maxY - 1),
        style: isOnMap ? frame.legendStyle(atColumn: column) : .dim)
      column += String(character).cellWidth
    }
  }

  // MARK: Mouse

  private func handle(_ event: MouseEvent, in rect: Rect) -> Bool {
    let cell = (column: event.position.x - rect.minX, row: event.position.y - rect.minY)
    switch event.kind {
    case .wheelUp: onMove(picture.viewport.zoomed(by: 0.5, around: cell))
    case .wheelDown: onMove(picture.viewport.zoomed(by: -0.5, around: cell))
    case .press where event.button == 0: drag.begin(at: cell, clicks: event.clicks)
    case .drag where drag.isHeld:
      let step = drag.move(to: cell)
      if step != (0, 0) {
        onMove(
          picture.viewport.panned(byColumns: Double(-step.columns), rows: Double(-step.rows)))
      }
    case .release:
      let clicks = drag.end()
      let pin = picture.frame?.pin(atColumn: cell.column, row: cell.row)
      switch (clicks, pin) {
      case (1, let pin?): onSelect(pin)
      case (2, let pin?): onOpen(pin)
      // Nothing is there to be opened: it goes nearer.
      case (2, nil): onMove(picture.viewport.zoomed(by: 1, around: cell))
      default: break
      }
    default: return false
    }
    return true
  }
}

/// A button that is held over the map: a click until it has moved.
final class MapDrag {
  private var last: (column: Int, row: Int)?
  private var hasMoved = false
  private var clicks = 1

  var isHeld: Bool { last != nil }

  func begin(at cell: (column: Int, row: Int), clicks: Int) {
    last = cell
    hasMoved = false
    self.clicks = clicks
  }

  /// The cells since the last viewState.
  func move(to cell: (column: Int, row: Int)) -> (columns: Int, rows: Int) {
    guard let last, last != cell else { return (0, 0) }
    self.last = cell
    hasMoved = true
    return (cell.column - last.column, cell.row - last.row)
  }

  /// Ends it; says which click it was, 0 when it was none.
  func end() -> Int {
    defer { last = nil }
    return isHeld && !hasMoved ? clicks : 0
  }
}

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
