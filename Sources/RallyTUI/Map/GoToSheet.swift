import FoundationEssentials
import RallyDomain
import RallyText
import RallyWire
import TerminalKit

/// Goes to a person or a place by name.
struct GoToSheet: View {
  @Environment(\.groundStore) private var groundStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.interface) private var interface
  @State private var text = ""
  @State private var selection: GoToHit.ID?

  private static let limit = 8

  var body: some View {
    let hits = GoToHit.hits(
      for: text, positions: mapStore.positions,
      missions: missionsStore.missionsOnMap(at: .now), finder: .world,
      streets: groundStore.places(matching: text), limit: Self.limit)
    let selected = hits.first { $0.id == selection } ?? hits.first
    Box(title: "Go to") {
      VStack(spacing: 0) {
        TextField(
          text: $text, placeholder: "a friend, a mission, a city, a street, or 38.72,-9.14",
          isFocused: true
        ) {
          go(to: selected)
        }
        .frame(height: 1)
        Text("")
        ForEach(hits) { hit in
          Line(
            Span(hit.id == selected?.id ? "▸ " : "  "),
            Span(hit.title, hit.id == selected?.id ? .selection : .normal),
            Span("  \(hit.detail)", .dim)
          )
          .onClick { go(to: hit) }
        }
        if hits.isEmpty, !text.isEmpty {
          Text("Nothing found with this name.", .dim)
        }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 56)
    .onChange(of: text) {
      groundStore.find($1, near: mapStore.centre ?? mapStore.myPosition?.coordinate)
    }
    .onKey(KeyChord(.down)) { move(by: 1, in: hits, from: selected) }
    .onKey(KeyChord(.up)) { move(by: -1, in: hits, from: selected) }
    .onAction(.fieldNext) { _ = move(by: 1, in: hits, from: selected) }
    .onAction(.fieldPrevious) { _ = move(by: -1, in: hits, from: selected) }
  }

  private func move(by step: Int, in hits: [GoToHit], from selected: GoToHit?) -> Bool {
    selection = hits.map(\.id).element(after: selected?.id ?? "", step: step)
    return true
  }

  private func go(to hit: GoToHit?) {
    guard let hit else { return }
    interface.overlay = nil
    switch hit.target {
    case .friend(let id): mapStore.showFriend(id)
    case .mission(let mission): mapStore.showMission(mission)
    case .place(let place):
      mapStore.show(
        .place(place.coordinate), scale: place.radiusMetres == nil ? .street : .city)
    }
  }
}

/// Something that a name leads to.
struct GoToHit: Hashable, Identifiable {
  enum Target: Hashable {
    case friend(UUID)
    case mission(Mission)
    case place(Place)
  }

  var target: Target
  var title: String
  var detail: String

  var id: String { "\(title) \(detail)" }

  /// Friends on the map first, then missions and places.
  static func hits(
    for text: String, positions: [FriendPosition], missions: [Mission] = [], finder: PlaceFinder,
    streets: [Place] = [], limit: Int
  ) -> [GoToHit] {
    let text = text.trimmed
    guard !text.isEmpty else { return [] }
    var hits = positions.filter { $0.profile.matches(text) }.map {
      GoToHit(
        target: .friend($0.id), title: $0.profile.displayName, detail: $0.profile.handle)
    }
    hits += missions.filter { $0.title.foldedContains(text) }.map {
      GoToHit(target: .mission($0), title: $0.title, detail: "mission")
    }
    if let place = try? finder.resolve(text), place.name == nil {
      hits.append(GoToHit(target: .place(place), title: place.title, detail: "coordinates"))
    } else {
      for place in finder.find(text) + streets {
        let hit = GoToHit(
          target: .place(place), title: place.name ?? "", detail: place.detail ?? "")
        if !hits.contains(where: { $0.id == hit.id }) { hits.append(hit) }
      }
    }
    return Array(hits.prefix(limit))
  }
}
