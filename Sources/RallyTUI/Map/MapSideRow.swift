import RallyDomain
import RallyWire
import RallyWords
import TerminalKit

/// A line of the list beside the map.
enum MapSideRow: Identifiable {
  case heading(String)
  case friend(FriendPosition)
  case mission(Mission)

  enum ID: Hashable {
    case heading(String)
    case pin(MapSelection)
  }

  var id: ID {
    switch self {
    case .heading(let text): .heading(text)
    case .friend(let position): .pin(.friend(position.id))
    case .mission(let mission): .pin(.mission(mission.id))
    }
  }

  var isSelectable: Bool { if case .heading = self { false } else { true } }

  /// People first, then the missions under a heading of their own.
  static func rows(_ positions: [FriendPosition], _ missions: [Mission]) -> [MapSideRow] {
    let people = positions.map(MapSideRow.friend)
    guard !missions.isEmpty else { return people }
    let gap: [MapSideRow] = people.isEmpty ? [] : [.heading("")]
    return people + gap + [.heading("Missions in view")] + missions.map(MapSideRow.mission)
  }
}

/// A mission's row beside the map, and what is said of the selected one.
enum MapMissionFormatter {
  /// `◆ Fog run   2/4 ends 3h`
  @MainActor
  static func row(
    _ mission: Mission, width: Int, isSelected: Bool, isAlone: Bool, from me: LocationFix?,
    at now: WireTime
  ) -> Line {
    if isAlone {
      let way = MissionFormatter.way(from: me?.coordinate, to: mission.centre)
      let facts = [mission.title, way, MissionFormatter.timeSentence(mission, at: now)]
      return Line(Span(" mission " + facts.compactMap(\.self).joined(separator: ", ")))
    }
    let mark = MissionMark(mission, at: now)
    let note = [ActivityText.progress(mission), MissionFormatter.timeLeft(mission, at: now)]
      .compactMap(\.self).joined(separator: " ")
    let room = max(0, width - 5 - note.cellWidth)
    return Line(
      Span(isSelected ? "▸" : " "), Span(mark.glyph, mark.style), Span(" "),
      Span(mission.title.padded(toCells: room)), Span(" \(note) ", .dim))
  }
}

/// The selected mission in a few lines.
struct MapMissionDetail: View {
  let mission: Mission
  let me: LocationFix?
  let now: WireTime

  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.actions) private var actions

  var body: some View {
    VStack(spacing: 0) {
      Text(mission.title, .title)
      ForEach(MissionFormatter.state(of: mission, me: missionsStore.userID, at: now), id: \.self) {
        Text($0, .dim)
      }
      if let way = MissionFormatter.way(from: me?.coordinate, to: mission.centre) {
        Text(way == "here" ? "where you are" : "\(way) of you")
      }
      Text(MissionFormatter.within(mission.radiusMetres), .dim)
      Line(
        Span("\(actions.table.hint(for: MapActions.open.id)) ", .accent), Span("open the mission")
      )
      .showsHints(of: [MapActions.open.id])
    }
    .padding(horizontal: 1)
  }
}
