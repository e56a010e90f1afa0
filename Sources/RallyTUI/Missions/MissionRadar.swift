import RallyDomain
import RallyMap
import RallyWire
import RallyWords
import TerminalKit

/// What is around a mission: its radius with how much is done, its objectives, its members as far as
/// they let me know, and me.
struct MissionRadar: Equatable {
  let markers: [MapMarker]
  /// What must be in view: the radius, the objectives, and whoever is near.
  let fitted: [GeoPoint]
  /// Where distances count from: me if I am near, else the mission's place.
  let origin: GeoPoint

  /// People who are this many times as far away as the farthest objective are shown by arrows.
  private static let nearness = 2.0

  /// - Parameter positions: Of those members who show me one.
  init(
    _ mission: Mission, positions: [FriendPosition], me: LocationFix?,
    glyphs: GlyphSet = .braille, at now: WireTime
  ) {
    let centre = GeoPoint(mission.centre)
    let next = mission.nextObjective(at: now)?.id
    let objectives = mission.objectives.compactMap { objective in
      objective.ownPlace.map {
        Self.marker(of: objective, at: GeoPoint($0), isNext: objective.id == next, glyphs)
      }
    }
    let area =
      stride(from: 0.0, to: 360, by: 90).map {
        centre.destination(bearing: $0, distance: mission.radiusMetres)
      } + objectives.map(\.point)
    let reach = Self.nearness * (area.map { centre.distance(to: $0) }.max() ?? 0)
    let people = MapMarkers.markers(positions, me: me, glyphs: glyphs, at: now)
    let near = people.map(\.point).filter { centre.distance(to: $0) <= reach }
    let mine = me.map { GeoPoint($0.coordinate) }
    markers =
      MapMarkers.markers(ofMissions: [mission], glyphs: glyphs).map { place in
        var place = place
        // Its circle is drawn also where somebody stands in the middle.
        (place.label, place.hasArrow, place.isClusterable) = ("", false, false)
        return place
      } + objectives + people
    fitted = area + near
    origin = mine.flatMap { near.contains($0) ? $0 : nil } ?? centre
  }

  static func id(of objective: ObjectiveRecord) -> String { "objective \(objective.id.wireText)" }

  private static func marker(
    of objective: ObjectiveRecord, at point: GeoPoint, isNext: Bool, _ glyphs: GlyphSet
  ) -> MapMarker {
    let mark: Character =
      switch (objective.isDone, glyphs) {
      case (true, .ascii): "x"
      case (true, _): "✓"
      case (false, .ascii): isNext ? ">" : "+"
      case (false, _): isNext ? "▸" : "·"
      }
    let tag: MapTag = objective.isDone ? .fresh : isNext ? .mission : .older
    return MapMarker(
      id: id(of: objective), point: point, glyph: mark,
      label: objective.title.truncated(toCells: 16), rank: isNext ? 50 : 40, tag: tag.rawValue,
      isClusterable: false, hasArrow: isNext)
  }
}

extension Mission {
  /// The objective that I would check in at: the first open one of a mission that I am in and that
  /// goes on.
  func nextObjective(at now: WireTime) -> ObjectiveRecord? {
    guard record.myState == .joined, phase(at: now) == .active else { return nil }
    return record.objectives.first { !$0.isDone }
  }
}

/// The radar of a mission, with the selected objective on it.
struct MissionRadarPane: View {
  let mission: Mission
  let selection: Binding<MissionDetailRow.ID?>
  let now: WireTime

  @Environment(\.actions) private var actions
  @Environment(\.mapGlyphs) private var mapGlyphs
  @Environment(\.mapStore) private var mapStore

  var body: some View {
    let members = Set(mission.joined.map(\.userID))
    let radar = MissionRadar(
      mission,
      positions: mapStore.positions.filter { members.contains($0.id) && $0.isShown(at: now) },
      me: mapStore.myPosition, glyphs: mapGlyphs, at: now)
    SmallMap(
      markers: radar.markers, fitted: radar.fitted, selectedID: selectedID, origin: radar.origin
    ) { actions.perform(MissionActions.showOnMap.id) }
  }

  private var selectedID: String? {
    guard case .objective(let id)? = selection.wrappedValue else { return nil }
    return mission.objectives.first { $0.id == id }.map(MissionRadar.id)
  }
}
