import FoundationEssentials
import RallyDomain
import RallyMap
import RallyWire
import RallyWords
import TerminalKit

extension MapMarkers {
  private static let missionPrefix = "mission "

  static func id(of selection: MapSelection) -> String {
    switch selection {
    case .friend(let id): self.id(of: id)
    case .mission(let id): missionPrefix + id.wireText
    }
  }

  /// Whose marker this is; nil for my own.
  static func selection(of id: String) -> MapSelection? {
    guard id.hasPrefix(missionPrefix) else { return friendID(of: id).map(MapSelection.friend) }
    return UUID(wireText: String(id.dropFirst(missionPrefix.count))).map(MapSelection.mission)
  }

  /// Missions as pins with their radius around them; people stand before them.
  ///
  /// - Parameter selectedID: Whose pin is drawn over all others and keeps its name.
  static func markers(
    ofMissions missions: [Mission], selectedID: UUID? = nil, glyphs: GlyphSet = .braille
  ) -> [MapMarker] {
    missions.map { mission in
      let isSelected = mission.id == selectedID
      let isMine = mission.myState == .joined
      let progress = mission.record.progress
      return MapMarker(
        id: id(of: .mission(mission.id)), point: GeoPoint(mission.centre),
        glyph: glyphs == .ascii ? "#" : isMine ? "◆" : "◇",
        label: mission.title.truncated(toCells: 20), rank: isSelected ? 90 : isMine ? 6 : 5,
        tag: MapTag.mission.rawValue, accuracyMetres: mission.radiusMetres,
        progress: progress.of > 0 ? Double(progress.done) / Double(progress.of) : nil,
        isClusterable: !isSelected, hasArrow: isMine)
    }
  }
}

extension MissionsStore {
  /// The missions that the map shows: those that are still open, mine first, each once.
  func missionsOnMap(at now: WireTime) -> [Mission] {
    var known: Set<UUID> = []
    return (active + nearby).filter {
      $0.phase(at: now).isOpen && known.insert($0.id).inserted
    }
  }
}

extension Viewport {
  /// Those whose place lies in this view.
  func inView(_ missions: [Mission]) -> [Mission] {
    missions.filter { cell(of: GeoPoint($0.centre)) != nil }
  }
}
