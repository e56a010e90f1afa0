import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// An item of the palette: a person, a mission, a place or an action.
struct PaletteItem: Hashable, Identifiable {
  enum Target: Hashable {
    case person(UUID)
    case mission(UUID)
    case place(Place)
    case action(ActionID)
  }

  var target: Target
  var glyph: String
  var glyphStyle: Style
  /// The name; searched.
  var title: String
  /// Tells it from others; searched too.
  var detail: String
  /// What it is, right-aligned: `friend`, `mission`, the key of an action.
  var note: String
  /// Why an action is not available now, as a sentence.
  var disabledReason: String?

  var id: Target { target }

  /// Title and detail together, so that a query can match across both.
  var searched: String { "\(title) \(detail)" }
}

extension PaletteItem {
  init(_ entry: PersonEntry, isOnMap: Bool) {
    let mark = PersonMark(entry)
    var notes: [String] = []
    switch entry.status {
    case .incoming: notes.append(FriendshipStatus.asksForFriendship)
    case .outgoing: notes.append("you asked")
    default: notes.append(entry.profile.isOnline ? "friend, online" : "friend")
    }
    if isOnMap { notes.append("on the map") }
    self.init(
      target: .person(entry.id), glyph: mark.glyph, glyphStyle: mark.style,
      title: entry.profile.displayName, detail: entry.profile.handle,
      note: notes.joined(separator: ", "))
  }

  init(_ mission: Mission, at now: WireTime) {
    let mark = MissionMark(mission, at: now)
    self.init(
      target: .mission(mission.id), glyph: mark.glyph, glyphStyle: mark.style,
      title: mission.title, detail: "", note: "mission")
  }

  init(_ place: Place) {
    self.init(
      target: .place(place), glyph: "◇", glyphStyle: .dim,
      title: place.name ?? place.coordinate.description, detail: place.detail ?? "",
      note: place.name == nil ? "coordinates" : "place")
  }

  init(_ available: AvailableAction) {
    let action = available.action
    self.init(
      target: .action(action.id), glyph: ":", glyphStyle: .accent, title: action.name,
      detail: action.summary, note: action.keys.first?.description ?? "",
      disabledReason: available.disabledReason)
  }
}

/// A row of the palette: the name with the matched letters highlighted, and what it is.
struct PaletteRow {
  let item: PaletteItem
  let query: FuzzyQuery
  /// In cells.
  let width: Int
  let isSelected: Bool

  @MainActor var line: Line {
    let note = item.note.truncated(toCells: max(0, width * 2 / 5))
    let room = max(0, width - 4 - note.cellWidth - 1)
    let isUsable = item.disabledReason == nil
    let title = item.title.truncated(toCells: room)
    let rest = max(0, room - title.cellWidth - 2)
    let detail = (item.disabledReason ?? item.detail).truncated(toCells: rest)
    let found = query.isEmpty ? [] : query.matches(in: item.searched) ?? []
    let offset = item.title.count + 1
    let foundInDetail = isUsable ? Set(found.filter { $0 >= offset }.map { $0 - offset }) : []
    let used = title.cellWidth + (detail.isEmpty ? 0 : 2 + detail.cellWidth)
    return Line(
      [
        Span(isSelected ? "▸" : " "), Span(" "),
        Span(item.glyph, isUsable ? item.glyphStyle : .dim), Span(" "),
      ]
        + Self.spans(title, found, isUsable ? .normal : .dim)
        + (detail.isEmpty ? [] : [Span("  ")] + Self.spans(detail, foundInDetail, .dim))
        + [
          Span(String(repeating: " ", count: max(0, room - used) + 1)), Span(note, .dim),
        ])
  }

  /// Shows matched letters bold and underlined, so that they are visible without colour.
  static func spans(_ text: String, _ found: Set<Int>, _ style: Style) -> [Span] {
    guard !found.isEmpty else { return [Span(text, style)] }
    var spans: [Span] = []
    var run = ""
    var isFoundRun = false
    for (index, character) in text.enumerated() {
      let isFound = found.contains(index) && character != "…"
      if isFound != isFoundRun, !run.isEmpty {
        spans.append(Span(run, isFoundRun ? .accent.bold.underline : style))
        run = ""
      }
      isFoundRun = isFound
      run.append(character)
    }
    return spans + [Span(run, isFoundRun ? .accent.bold.underline : style)]
  }
}
