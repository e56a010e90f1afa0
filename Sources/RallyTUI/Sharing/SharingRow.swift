import Foundation
import RallyDomain
import RallyWire
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
  @MainActor
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

  /// - Parameter isNarrow: Whether the username is left out.
  @MainActor
  func line(isSelected: Bool, isNarrow: Bool, at now: WireTime) -> Line {
    Line(
      Span(isSelected ? "▸" : " "), Span(isInFlight ? "~" : " ", .warning),
      Span(name.truncated(toCells: 18).padded(toCells: 19)),
      Span(isNarrow ? "" : handle.truncated(toCells: 12).padded(toCells: 13), .dim),
      Span(setting.sentence(at: now), setting.mode > .off ? .normal : .dim),
      Span(followsDefault ? "  default" : "", .dim))
  }
}
