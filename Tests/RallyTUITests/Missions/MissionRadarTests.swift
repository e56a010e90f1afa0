import RallyDomain
import RallyMap
import RallyTestSupport
import RallyWire
import RallyWords
import Testing

@testable import RallyTUI

@Suite struct MissionRadarTests {
  private let now = MissionSamples.now

  private func position(of number: Int, at place: Coordinate) throws -> FriendPosition {
    try #require(
      FriendPosition(
        Samples.location(of: number, at: place, recordedAt: now), of: Samples.friend(number)))
  }

  private func fix(at place: Coordinate) -> LocationFix {
    LocationFix(coordinate: place, accuracyMetres: 10, recordedAt: now, source: "manual")
  }

  @Test func `objectives with a place of their own are told by mark, and the next one stands out`()
    throws
  {
    let radar = MissionRadar(MissionSamples.lanterns, positions: [], me: nil, at: now)
    let shown = radar.markers.filter { $0.id.hasPrefix("objective") }
    #expect(shown.map(\.label) == ["Blue door", "Well of voices"])
    #expect(shown.map(\.glyph) == ["▸", "·"])
    #expect(shown[0].rank > shown[1].rank && shown[0].hasArrow && !shown[1].hasArrow)
    let plain = MissionRadar(
      MissionSamples.lanterns, positions: [], me: nil, glyphs: .ascii, at: now)
    #expect(plain.markers.allSatisfy { $0.glyph.isASCII })
  }

  @Test func `an objective that is done is marked, and nothing is next once the mission is over`() {
    let door = MissionSamples.objective(
      1, "Door", at: MissionSamples.here, done: 1, by: 0, minutes: -5)
    let open = MissionSamples.objective(2, "Well", at: Samples.coordinate(38.7152, -9.13))
    let mission = MissionSamples.mission(1, "Two", ends: -10, objectives: [door, open])
    let radar = MissionRadar(mission, positions: [], me: nil, at: now)
    let shown = radar.markers.filter { $0.id.hasPrefix("objective") }
    #expect(shown.map(\.glyph) == ["✓", "·"])
    #expect(mission.nextObjective(at: now) == nil)
  }

  @Test func `the circle around the mission tells how much of it is done`() throws {
    let radar = MissionRadar(MissionSamples.lanterns, positions: [], me: nil, at: now)
    let place = try #require(radar.markers.first)
    #expect(place.progress == 0.5)
    #expect(place.accuracyMetres == 500)
    // The title stands above it.
    #expect(place.label.isEmpty)
  }

  @Test func `the circle is drawn also where a member stands in the middle`() throws {
    let mission = MissionSamples.lanterns
    let radar = MissionRadar(
      mission, positions: [try position(of: 3, at: mission.centre)], me: nil, at: now)
    let viewport = Viewport.wholeWorld(columns: 58, rows: 16).fitting(
      radar.fitted, maximumZoom: 16)
    let frame = MapRenderer().frame(viewport, markers: radar.markers)
    #expect(frame.cells.count { $0.ink == .area } > 20)
  }

  @Test func `whoever is near is in view, and whoever is far away does not shrink it`() throws {
    let (near, far) = (Samples.coordinate(38.7155, -9.1302), Samples.coordinate(41.15, -8.61))
    let radar = MissionRadar(
      MissionSamples.lanterns,
      positions: [try position(of: 3, at: near), try position(of: 2, at: far)], me: nil, at: now)
    #expect(radar.fitted.contains(GeoPoint(near)))
    #expect(!radar.fitted.contains(GeoPoint(far)))
    #expect(radar.markers.count { MapMarkers.friendID(of: $0.id) != nil } == 2)
    let viewport = Viewport.wholeWorld(columns: 58, rows: 16).fitting(radar.fitted)
    #expect(viewport.cell(of: GeoPoint(MissionSamples.here)) != nil)
    #expect(viewport.cell(of: GeoPoint(far)) == nil)
  }

  @Test func `distances count from me where I am near, else from the mission`() {
    let near = Samples.coordinate(38.7130, -9.1310)
    let mission = MissionSamples.lanterns
    let here = MissionRadar(mission, positions: [], me: fix(at: near), at: now)
    #expect(here.origin == GeoPoint(near))
    let away = MissionRadar(mission, positions: [], me: fix(at: Samples.porto), at: now)
    #expect(away.origin == GeoPoint(mission.centre))
    #expect(away.markers.contains { $0.id == MapMarkers.me })
  }
}
