import FoundationEssentials
import RallyDomain
import RallyMap
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// The mission that the map keeps in view, with those who come to it.
struct FramedMission {
  let mission: Mission
  let coming: [Coming]

  /// - Returns: nil while no mission is framed, and where it is over or unknown.
  init?(
    _ mapStore: MapStore, _ missionsStore: MissionsStore, of missions: [Mission], at now: WireTime
  ) {
    guard let id = mapStore.framing?.missionID,
      let mission = missions.first(where: { $0.id == id })
    else { return nil }
    self.mission = mission
    coming = mapStore.coming(missionsStore.coming, to: mission, at: now)
  }

  /// What has to be in view.
  var points: [GeoPoint] {
    (mission.extent + coming.compactMap { $0.position?.coordinate }).map(GeoPoint.init)
  }

  /// Those who are no friends, and have no pin besides.
  ///
  /// - Parameter me: I have a pin of my own.
  func strangers(besides positions: [FriendPosition], _ me: UUID?) -> [FriendPosition] {
    let known = Set(positions.map(\.id) + [me].compactMap(\.self))
    return coming.compactMap { person in
      guard !known.contains(person.id), let position = person.position else { return nil }
      return FriendPosition(
        position,
        of: CommunityProfile(
          id: person.id, username: person.record.username,
          displayName: person.record.displayName))
    }
  }
}

/// Who comes to the framed mission, beside the map, below it, or in its place.
struct ComingPane: View {
  let framed: FramedMission
  let width: Int
  let now: WireTime
  /// Whether this replaces the map, for screen readers.
  var isAlone = false

  @Environment(\.actions) private var actions
  @Environment(\.missionsStore) private var missionsStore

  var body: some View {
    VStack(spacing: 0) {
      Text(isAlone ? "Who comes to \(framed.mission.title)" : framed.mission.title, .title)
        .padding(horizontal: 1)
      Text(count, .dim).padding(horizontal: 1)
      ComingLines(framed: framed, width: max(1, width - 2), now: now, isAlone: isAlone)
        .padding(horizontal: 1)
        .frame(maxHeight: .max, alignment: .topLeading)
      Rule().layoutPriority(1)
      Line(Span("\(actions.table.hint(for: Action.back.id)) ", .accent), Span("back"))
        .showsHints(of: [Action.back.id])
        .padding(horizontal: 1).layoutPriority(1)
      MySharing().padding(horizontal: 1).layoutPriority(1)
    }
  }

  private var count: String {
    let there = framed.coming.count { $0.record.arrivedAt != nil }
    let parts = [(framed.coming.count - there, "on the way"), (there, "there")]
    let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return words.isEmpty ? "Nobody shows you the way any more." : words.joined(separator: " · ")
  }
}

/// A line or two for each who comes.
struct ComingLines: View {
  let framed: FramedMission
  /// Cells.
  let width: Int
  let now: WireTime
  var isAlone = false

  @Environment(\.missionsStore) private var missionsStore

  var body: some View {
    VStack(spacing: 0) {
      ForEach(framed.coming, id: \.id) { person in
        if isAlone {
          Paragraph(ComingFormatter.sentence(person, me: missionsStore.userID, at: now))
        } else {
          let lines = ComingFormatter.lines(
            person, me: missionsStore.userID, width: width, at: now)
          ForEach(lines.indices, id: \.self) { lines[$0] }
        }
      }
    }
  }
}

extension MapStore {
  /// Why the map cannot show who comes to a mission; nil if it can.
  func frameObstacle(_ mission: Mission, _ rows: [ComingRecord], at now: WireTime) -> String? {
    if framing?.missionID == mission.id { return nil }
    return coming(rows, to: mission, at: now).isEmpty
      ? ComingFormatter.nobody(to: mission) : nil
  }
}
