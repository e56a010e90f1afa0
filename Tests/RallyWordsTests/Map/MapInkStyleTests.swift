import FoundationEssentials
import Testing

@testable import RallyMap
@testable import RallyWords
@testable import TerminalKit

struct MapInkStyleTests {
  /// Europe with a friend in Paris, one in Warsaw whose position is old, and oneself.
  private func frame(night: Bool = false) -> MapFrame {
    MapRenderer().frame(
      Viewport(
        center: GeoPoint(latitude: 48, longitude: 6), zoom: 2.6, columns: 70, rows: 40),
      markers: [
        MapMarker(
          id: "ana", point: GeoPoint(latitude: 48.86, longitude: 2.34), label: "ana",
          tag: MapTag.fresh.rawValue),
        MapMarker(
          id: "jan", point: GeoPoint(latitude: 52.23, longitude: 21.01), glyph: "◌", label: "jan",
          tag: MapTag.old.rawValue),
        MapMarker(
          id: MapMarkers.me, point: GeoPoint(latitude: 38.72, longitude: -9.14), glyph: "@",
          label: "you", tag: MapTag.me.rawValue),
      ],
      options: MapOptions(night: night ? .init(timeIntervalSince1970: 1_795_300_000) : nil))
  }

  private func roles(of ink: MapInk, in frame: MapFrame) -> Set<Role> {
    Set(frame.cells.filter { $0.ink == ink && !$0.isBlank }.map(\.style.role))
  }

  @Test func `coasts, borders, cities and people have roles of their own`() {
    let frame = frame()
    #expect(roles(of: .coast, in: frame) == [.mapCoast])
    #expect(roles(of: .border, in: frame) == [.mapBorder])
    #expect(roles(of: .land, in: frame) == [], "land is told by its coast alone")
    #expect(roles(of: .cityLabel, in: frame) == [.mapCity])
    #expect(roles(of: .marker, in: frame) == [.mapLive, .dim, .mapYou])
  }

  @Test func `how old a position is, is told by its mark and not by its colour alone`() {
    let frame = frame()
    let marks = frame.pins.map { frame.character(atColumn: $0.column, row: $0.row) }
    #expect(Set(marks) == ["●", "◌", "@"])
  }

  @Test func `night turns coasts grey, dims no coast and leaves people as they are`() {
    let frame = frame(night: true)
    let dark = frame.cells.filter(\.isNight)
    #expect(!dark.isEmpty)
    for cell in dark where cell.ink == .coast {
      #expect(cell.style == Style(.mapCoastNight))
    }
    #expect(roles(of: .marker, in: frame) == [.mapLive, .dim, .mapYou])
  }

  @Test func `with few colours night lights the cities, where they have a colour for it`() {
    func lights(_ showsLights: Bool) -> [MapCell] {
      MapRenderer().frame(
        .wholeWorld(columns: 120, rows: 40),
        options: MapOptions(
          night: .init(timeIntervalSince1970: 1_795_300_000), showsLights: showsLights)
      ).cells.filter { $0.ink == .cityLight && !$0.isBlank }
    }
    #expect(lights(true).count > 20)
    #expect(lights(true).allSatisfy { $0.style.role == .mapCityLight && $0.isNight })
    #expect(lights(false).isEmpty, "dots without a colour are islands")
  }

  @Test(arguments: [MapInk.water, .green, .building])
  func `without colours the pattern of an area is dimmer than the streets in it`(ink: MapInk) {
    let pattern = MapCell(scalar: "⠒", ink: ink)
    let street = MapCell(scalar: "⠒", ink: .street)
    func look(_ cell: MapCell, _ mode: ColorMode) -> Appearance {
      Theme.dark.resolve(cell.style, mode: mode)
    }
    #expect(look(pattern, .mono).attributes.contains(.dim))
    #expect(!look(street, .mono).attributes.contains(.dim))
    #expect(!look(pattern, .sixteen).attributes.contains(.dim), "colours tell it")
    #expect(!pattern.paintedStyle.attributes.contains(.dim))
  }

  @Test func `a painted map has areas under its lines and texts, and never dim text`() {
    let frame = MapRenderer().frame(
      Viewport(center: GeoPoint(latitude: 48, longitude: 6), zoom: 2.6, columns: 70, rows: 40),
      markers: [
        MapMarker(
          id: "jan", point: GeoPoint(latitude: 52.23, longitude: 21.01), glyph: "◌", label: "jan",
          tag: MapTag.old.rawValue)
      ],
      options: MapOptions(fillStyle: .background))
    #expect(frame.paintsAreas)
    for cell in frame.cells {
      let style = cell.paintedStyle
      #expect(style.backdrop == Backdrop(cell.isLand ? .fillLand : .fillSea))
      if cell.ink >= .countryLabel {
        #expect(style.role != .dim && !style.attributes.contains(.dim))
      } else {
        #expect(style.role == cell.style.role)
      }
    }
  }

  @Test func `a cell changes no more colours than are seen`() {
    let frame = MapRenderer().frame(
      .wholeWorld(columns: 20, rows: 8), options: MapOptions(fillStyle: .background))
    func cell(_ scalar: Unicode.Scalar, _ upper: MapFill, _ lower: MapFill) -> MapCell {
      var cell = MapCell(scalar: scalar, ink: .street)
      (cell.upperFill, cell.fill) = (upper, lower)
      return cell
    }
    let street = Style(.mapStreet, on: Backdrop(.fillLand))
    let blank = frame.look(of: cell(" ", .building, .building), after: street)
    #expect(blank == (" ", Style(.mapStreet, on: Backdrop(.fillBuilding))))
    // The upper half has the background of the cell before it, or it is the glyph.
    let split = cell("▀", .land, .building)
    let after = frame.look(of: split, after: street)
    #expect(after == ("▄", Style(.fillBuilding, on: Backdrop(.fillLand))))
    let other = frame.look(of: split, after: blank.style)
    #expect(other == ("▀", Style(.fillLand, on: Backdrop(.fillBuilding))))
    // At the edge of what is known a half without an area has no colour of a text.
    let edge = frame.look(of: cell("▀", .none, .land), after: street)
    #expect(edge == (" ", Style(.mapStreet, on: Backdrop(.fillLand))))
  }

  @Test func `on a painted map night darkens the areas, and the coast has a colour for it`() {
    let frame = MapRenderer().frame(
      .wholeWorld(columns: 120, rows: 40),
      options: MapOptions(
        fillStyle: .background, night: .init(timeIntervalSince1970: 1_795_300_000)))
    let coasts = frame.cells.filter { $0.ink == .coast }
    #expect(Set(coasts.map { $0.paintedStyle.backdrop.light }) == Set(Backdrop.Light.allCases))
    #expect(coasts.allSatisfy { !$0.paintedStyle.attributes.contains(.dim) })
    for cell in coasts {
      let isBright = cell.paintedStyle.backdrop.light <= .dusk
      #expect(cell.paintedStyle.role == (isBright ? .mapCoast : .mapCoastNight))
    }
    #expect(roles(of: .cityLight, in: frame) == [.mapCityLight])
  }

  @Test func `a person alone is a letter in the colour of their age, an old one keeps its mark`() {
    func style(_ tag: MapTag) -> Style {
      var cell = MapCell(scalar: "A", ink: .initial)
      cell.tag = tag.rawValue
      (cell.fill, cell.upperFill) = (.land, .land)
      return cell.paintedStyle
    }
    #expect(style(.fresh) == Style(.mapPinFresh).bold)
    #expect(style(.older) == Style(.mapPin).bold)
  }

  @Test func `of two halves the upper one is the glyph and the lower one lies under it`() {
    var cell = MapCell(scalar: "▀", ink: .water)
    cell.fill = .park
    cell.upperFill = .water
    #expect(cell.paintedStyle == Style(.fillWater, on: Backdrop(.fillPark)))
    cell.night = 4
    cell.disc = MapTag.fresh.rawValue
    #expect(
      cell.paintedStyle
        == Style(.fillWater, on: Backdrop(.fillPark, night: 4, tint: .live)))
  }
}
