import RallyDemo
import RallyMap
import RallyStreets
import RallySystem
import RallyTestSupport
import RallyWire
import RallyWords
import TerminalKit

/// The world and a city with every number of colours that a terminal may have, on a dark and on a
/// light background.
@MainActor
struct ColourSheet {
  /// Day and night are both on a map of the world.
  let moment: WireTime
  let tiles: StreetTiles

  private struct Look {
    let name: String
    let theme: Theme
    let mode: ColorMode
    let ground: UInt32
  }

  private static let looks: [Look] = {
    let modes: [(String, ColorMode)] = [
      ("24 bits", .direct), ("256 colours", .indexed), ("16 colours", .sixteen),
      ("no colours", .mono),
    ]
    return modes.flatMap { name, mode in
      [
        Look(name: "\(name), dark", theme: .dark, mode: mode, ground: 0x101418),
        Look(name: "\(name), light", theme: .light, mode: mode, ground: 0xFAFAFA),
      ]
    }
  }()

  private static let size = Size(width: 58, height: 17)

  var svg: String {
    get async {
      let city = Viewport(
        center: GeoPoint(latitude: Cast.view.latitude, longitude: Cast.view.longitude),
        zoom: Cast.view.zoom, columns: Self.size.width, rows: Self.size.height)
      let world = Viewport.wholeWorld(columns: Self.size.width, rows: Self.size.height)
      let ground = await tiles.ground(for: city) ?? .none
      let rows = Self.looks.map { look in
        [
          picture(world, people: Self.travellers, .none, look),
          picture(city, people: Self.neighbours, ground, look),
        ]
      }
      return ScreenSVG.sheet(
        rows, title: "The world and a city with 24 bits, 256 and 16 colours and none")
    }
  }

  private func picture(
    _ viewport: Viewport, people: [MapMarker], _ ground: MapGround, _ look: Look
  ) -> ScreenSVG {
    let paintsAreas = look.theme.paintsAreas(in: look.mode)
    let frame = MapRenderer(width: { CellWidth.width(of: $0) }).frame(
      viewport,
      markers: people.map { marker in
        var marker = marker
        if !paintsAreas { marker.initial = nil }
        return marker
      }, ground: ground,
      options: MapOptions(
        fillStyle: paintsAreas ? .background : .stipple,
        night: look.mode == .mono ? nil : moment.date,
        showsLights: look.theme.hasLights(in: look.mode), showsArrows: false))
    let screen = TestScreen(
      size: Size(width: Self.size.width, height: Self.size.height + 1),
      root: CanvasView { canvas, rect in
        canvas.draw(look.name, at: Point(x: rect.minX, y: rect.minY), style: .title)
        Self.draw(frame, canvas, Point(x: rect.minX, y: rect.minY + 1))
      })
    return ScreenSVG(
      screen.terminal.screen, title: look.name, theme: look.theme, mode: look.mode,
      ground: look.ground)
  }

  private static func draw(_ frame: MapFrame, _ canvas: Canvas, _ origin: Point) {
    for row in 0..<frame.rows {
      var last = Style.normal
      for column in 0..<frame.columns {
        let cell = frame[column, row]
        if cell.isBlank && !frame.paintsAreas || cell.isContinuation { continue }
        let (scalar, style) = frame.look(of: cell, after: last)
        last = style
        canvas.draw(
          String(Character(scalar)), at: Point(x: origin.x + column, y: origin.y + row),
          style: style)
      }
    }
  }

  private static let travellers = [
    MapMarker(
      id: "ana", point: GeoPoint(latitude: 48.86, longitude: 2.35), initial: "A", label: "ana",
      tag: MapTag.fresh.rawValue),
    MapMarker(
      id: "lucia", point: GeoPoint(latitude: -34.6, longitude: -58.4), initial: "L",
      label: "lucia", tag: MapTag.fresh.rawValue),
    MapMarker(
      id: "kenji", point: GeoPoint(latitude: 35.68, longitude: 139.69), glyph: "○",
      initial: "K", label: "kenji", tag: MapTag.older.rawValue),
  ]

  private static let neighbours = [
    MapMarker(
      id: "ana", point: GeoPoint(latitude: 43.7345, longitude: 7.4185), initial: "A",
      label: "ana", tag: MapTag.fresh.rawValue),
    MapMarker(
      id: MapMarkers.me,
      point: GeoPoint(latitude: Cast.visitor.place.0, longitude: Cast.visitor.place.1),
      glyph: "@", label: "you", tag: MapTag.me.rawValue),
    MapMarker(
      id: "lanterns", point: GeoPoint(latitude: 43.7352, longitude: 7.4235), glyph: "◆",
      label: "Lanterns", tag: MapTag.mission.rawValue, accuracyMetres: 130),
  ]
}
