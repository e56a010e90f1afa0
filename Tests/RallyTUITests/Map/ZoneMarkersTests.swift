import RallyDomain
import RallyMap
import RallyTestSupport
import RallyWire
import RallyWords
import TerminalKit
import Testing

@testable import RallyTUI

/// How my zones look on the map.
@Suite struct ZoneMarkersTests {
  private func frame(_ glyphs: GlyphSet, zones: Int = 1) -> MapFrame {
    let all = [
      PrivacyZone(name: "home", centre: Samples.lisbon, radiusMetres: 450, allows: .nothing)
    ]
    return MapRenderer().frame(
      Viewport(center: GeoPoint(Samples.lisbon), zoom: 13, columns: 60, rows: 24),
      markers: MapMarkers.markers(ofZones: Array(all.prefix(zones)), glyphs: glyphs),
      options: MapOptions(glyphs: glyphs))
  }

  @Test(arguments: [GlyphSet.braille, .blocks, .sextants, .ascii])
  func `a zone is a dotted circle with its name, dim and without a fill`(glyphs: GlyphSet) throws {
    let frame = frame(glyphs)
    #expect(frame.text.contains(glyphs == .ascii ? ":home" : "◌home"))
    let circle = frame.cells.filter { $0.ink == .area && !$0.isBlank }
    #expect(circle.count > 20)
    #expect(circle.allSatisfy { $0.tag == MapTag.zone.rawValue })
    #expect(circle.allSatisfy { $0.style.attributes.contains(.dim) })
    if glyphs == .ascii { #expect(frame.text.allSatisfy { $0.isASCII }) }
    #expect(MapTag.zone.tint == .none)
    #expect(self.frame(glyphs, zones: 0).cells.allSatisfy { $0.ink != .area })
  }

  @Test func `a zone is nothing that can be selected`() throws {
    let pin = try #require(frame(.braille).pin(of: "zone home"))
    #expect(pin.ids.compactMap { MapMarkers.selection(of: $0) }.isEmpty)
  }
}
