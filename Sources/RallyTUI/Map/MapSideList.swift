import RallyClient
import RallyDomain
import RallyState
import RallyStreets
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// Everybody on the map, the nearest first, and the missions in view; the selected one in detail
/// below.
struct MapSideList: View {
  let positions: [FriendPosition]
  var missions: [Mission] = []
  let width: Int
  let now: WireTime
  /// Whether this replaces the map, for screen readers.
  var isAlone = false

  @Environment(\.groundStore) private var groundStore
  @Environment(\.actions) private var actions
  @Environment(\.mapStore) private var mapStore
  @Environment(\.placeNames) private var placeNames
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.firstSteps) private var firstSteps
  @Environment(\.linkService) private var linkService

  var body: some View {
    // Usernames are ASCII.
    let longestName = positions.lazy.map(\.profile.username.utf8.count).max() ?? 0
    let selected = mapStore.selectedID.flatMap { id in positions.first { $0.id == id } }
    let mission = mapStore.selectedMissionID.flatMap { id in missions.first { $0.id == id } }
    VStack(spacing: 0) {
      Text(heading, .title).padding(horizontal: 1)
      FirstStepList()
      if positions.isEmpty, firstSteps?.open.value.isEmpty ?? true {
        Paragraph(emptyText, .dim).padding(horizontal: 1, vertical: 1)
          .frame(maxHeight: missions.isEmpty ? .max : nil, alignment: .topLeading)
          .layoutPriority(missions.isEmpty ? 0 : 1)
      } else if positions.isEmpty, missions.isEmpty {
        Spacer()
      }
      if !positions.isEmpty || !missions.isEmpty {
        List(
          MapSideRow.rows(positions, missions), id: \.id,
          selection: Binding(get: { mapStore.selection.map(MapSideRow.ID.pin) }, set: select),
          isActive: isAlone, isSelectable: { $0.isSelectable }
        ) { row, isSelected in
          switch row {
          case .heading(let text): Line(Span(" \(text)", .title))
          case .friend(let position):
            self.row(position, isSelected: isSelected, longestName: longestName)
          case .mission(let mission):
            MapMissionFormatter.row(
              mission, width: width, isSelected: isSelected, isAlone: isAlone,
              from: mapStore.myPosition, at: now)
          }
        }
        .frame(maxHeight: .max)
      }
      if let selected, !isAlone {
        Rule().layoutPriority(1)
        PositionDetail(position: selected, now: now).layoutPriority(1)
      }
      if let mission, !isAlone {
        Rule().layoutPriority(1)
        MapMissionDetail(mission: mission, me: mapStore.myPosition, now: now).layoutPriority(1)
      }
      Rule().layoutPriority(1)
      MySharing().padding(horizontal: 1).layoutPriority(1)
    }
  }

  private func select(_ id: MapSideRow.ID?) {
    if case .pin(let pin)? = id { mapStore.select(pin: pin) } else { mapStore.select(pin: nil) }
  }

  private var heading: String {
    let fresh = positions.count { $0.age(at: now) == .fresh }
    let rest = positions.count - fresh
    if positions.isEmpty { return "On the map" }
    return rest == 0 ? "On the map  \(fresh) live" : "On the map  \(fresh) live  \(rest) older"
  }

  private var emptyText: String {
    if mapStore.asOf == nil {
      return linkService.state.isOffline
        ? "The server was not reached, and no positions are stored. "
          + "\(actions.table.way(to: .refresh)) tries again."
        : "Fetching positions…"
    }
    // Missions need the room more.
    guard missions.isEmpty else { return "Nobody shares a position with you yet." }
    return
      "Nobody shares a position with you yet. \(actions.table.way(to: Action.precision.id)) lets "
      + "friends see yours; ask them for theirs."
  }

  private func row(
    _ position: FriendPosition, isSelected: Bool, longestName: Int
  ) -> Line {
    let age = position.age(at: now)
    let place =
      groundStore.street(of: position)?.title ?? placeNames.name(at: position.coordinate)
    if isAlone {
      return Line(
        Span(
          " "
            + PositionFormatter.sentence(
              on: position, at: now, near: place, from: mapStore.myPosition))
      )
    }
    // As wide as the longest, so that the places stand below each other.
    let note = PositionFormatter.shortAge(of: position, at: now)
      .padded(toCells: 4, alignment: .trailing)
    let room = max(0, width - 4 - note.cellWidth - 2)
    // The place has what the names leave.
    let name = min(room * 5 / 9, longestName + 1)
    return Line(
      Span(isSelected ? "▸" : " "), Span(age.mark, MapTag(age).style), Span(" "),
      Span(position.profile.username.truncated(toCells: name).padded(toCells: name)),
      Span(" "),
      Span((place ?? "").truncated(toCells: room - name).padded(toCells: room - name), .dim),
      Span(" \(note) ", .dim))
  }

}

/// Where I am, who sees it, and the keys that change that.
struct MySharing: View {
  @Environment(\.groundStore) private var groundStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.placeNames) private var placeNames
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.actions) private var actions

  var body: some View {
    VStack(spacing: 0) {
      Text("You: \(place)")
      Text(locationSharingStore.sharingSentence, .dim)
      Line(
        Span("\(actions.hint(for: Action.ghost.id) ?? "!") ", .accent), Span("ghost  "),
        Span("\(actions.hint(for: Action.precision.id) ?? "p") ", .accent), Span("precision")
      )
      .showsHints(of: [Action.ghost.id, Action.precision.id])
    }
  }

  private func street(of fix: LocationFix) -> String? {
    guard fix.accuracyMetres ?? 0 <= StreetTiles.streetAccuracy else { return nil }
    return groundStore.street(at: fix.coordinate)?.title
  }

  private var place: String {
    guard let fix = mapStore.myPosition else { return "not set, :here Lisbon" }
    return fix.placeName ?? street(of: fix) ?? placeNames.name(at: fix.coordinate)
      ?? fix.coordinate.description
  }
}

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
