import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// A friend, or everybody else, with what they may see.
struct SharingRow: Identifiable {
  enum ID: Hashable {
    case general
    case friend(UUID)
  }

  var id: ID
  var name: String
  var handle: String
  var setting: SharingSetting
  /// Whether nothing was decided for this friend.
  var followsDefault: Bool
  var isInFlight: Bool

  var friendID: UUID? { if case .friend(let id) = id { id } else { nil } }

  /// Friends by username, then everybody else.
  static func rows(_ store: LocationSharingStore, at now: WireTime) -> [SharingRow] {
    guard let sharing = store.sharing else { return [] }
    let friends = sharing.friends.sorted { $0.username < $1.username }.map { friend in
      SharingRow(
        id: .friend(friend.id), name: friend.displayName, handle: "@\(friend.username)",
        setting: sharing.setting(of: friend, at: now), followsDefault: friend.own == nil,
        isInFlight: store.isInFlight(friend.id))
    }
    let general = SharingRow(
      id: .general, name: "Everybody else", handle: "", setting: sharing.general,
      followsDefault: false, isInFlight: store.isDefaultInFlight)
    return friends + [general]
  }

  /// What is shared once an end is chosen: what is shared already, else what the answer to a
  /// friend's question shares; with everybody else, the least.
  func modeForTime(in sharing: SharingTable, at now: WireTime) -> SharingMode {
    guard let friendID else { return max(setting.mode, .approximate10km) }
    return LocationAnswer.setting(for: friendID, sharing: sharing, at: now)?.mode ?? setting.mode
  }

  /// What stands in the row for a setting that nobody decided for this friend.
  fileprivate var note: String { followsDefault ? "  as everybody else" : "" }

  func line(isSelected: Bool, in columns: SharingColumns, at now: WireTime) -> Line {
    Line(
      Span(isSelected ? "▸" : " "), Span(isInFlight ? "~" : " ", .warning),
      Span(name.padded(toCells: columns.name)), Span(" "),
      Span(columns.handle > 0 ? "\(handle.padded(toCells: columns.handle)) " : "", .dim),
      Span(setting.sentence(at: now), setting.mode > .off ? .normal : .dim),
      Span(columns.hasNotes ? note : "", .dim))
  }
}

extension SharingRow {
  /// What the setting of the row means, and what comes after it:
  /// `Ana sees the city you are in until 21:00, then nothing.`
  ///
  /// - Parameter general: What those see who have no setting of their own.
  func meaning(
    general: SharingSetting, at now: WireTime, isPlaceKnown: Bool = true
  ) -> String {
    let sees = SharingSentence.sees(name, setting, at: now, isPlaceKnown: isPlaceKnown)
    if followsDefault, setting.mode > .off { return "\(sees), as everybody else does." }
    guard let until = setting.until else { return "\(sees)." }
    let isSeenAfter = friendID != nil && general.mode > .off && general.holds(at: until)
    return "\(sees), then \(isSeenAfter ? "what everybody else sees" : "nothing")."
  }
}

/// The columns of the rows in cells: no setting is cut as long as a name keeps ten.
struct SharingColumns {
  var name = 18
  /// 0 for none.
  var handle = 0
  /// Whether rows say that nothing was decided; what the selected one means is said below them.
  var hasNotes = true

  private static let leastName = 10

  /// - Parameter width: Cells of a row.
  init(_ rows: [SharingRow], width: Int, at now: WireTime) {
    let settings = rows.map { ($0.setting.sentence(at: now).cellWidth, $0.note.cellWidth) }
    // After the sign of the selection, that of what is being sent, and the blank after the name.
    func room(_ cells: [Int]) -> Int { width - 3 - (cells.max() ?? 0) }
    if room(settings.map { $0 + $1 }) < Self.leastName { hasNotes = false }
    let left = room(settings.map { hasNotes ? $0 + $1 : $0 })
    name = min(name, max(Self.leastName, left))
    if left - name > 12 { handle = 12 }
  }
}
