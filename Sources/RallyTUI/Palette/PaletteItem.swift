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
    case .incoming: notes.append("wants to be friends")
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
