import Foundation
import RallyDomain
import RallyWire
import TerminalKit

/// Who sees how much of me: everybody by default, and each friend.
struct SharingSheet: View {
  /// Whom the sheet opens on; nil for the default.
  let friendID: UUID?

  @Environment(\.actions) private var actions
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.interface) private var interface
  @State private var selection: SharingRow.ID?

  var body: some View {
    let rows = SharingRow.rows(locationSharingStore, at: .now)
    let selectedID = selection ?? friendID.map(SharingRow.ID.friend) ?? .general
    let selected = rows.first { $0.id == selectedID } ?? rows.first
    Box(title: "Who sees where you are") {
      VStack(spacing: 0) {
        if rows.isEmpty {
          Paragraph("What you share is not known yet; the server was not reached.", .dim)
        } else {
          List(
            rows, id: \.id,
            selection: Binding(get: { selected?.id }, set: { selection = $0 })
          ) { row, isSelected in
            row.line(isSelected: isSelected)
          }
          .frame(height: min(rows.count, 12))
        }
        Text("")
        Text(locationSharingStore.sharingSentence, .dim)
        KeyHints(joined: [
          ([.sharingLess, .sharingMore], "less, more"), ([.sharingTime], "for a time"),
          ([.back], "close"),
        ])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 68)
    .onActions(
      selected.map { row in
        [
          ActionHandler(.sharingMore) { change(row, by: 1) },
          ActionHandler(.sharingLess) { change(row, by: -1) },
          ActionHandler(.sharingTime) { changeTime(of: row) },
          ActionHandler(.open) { change(row, by: 1, around: true) },
        ]
      } ?? []
    )
    .onAction(.leave) { interface.overlay = nil }
    .onAction(.precision) { interface.overlay = nil }
  }

  private func change(_ row: SharingRow, by step: Int, around: Bool = false) {
    let modes = SharingMode.allCases.sorted()
    guard let index = modes.firstIndex(of: row.setting.mode) else { return }
    var next = index + step
    if around { next = (next + modes.count) % modes.count }
    guard modes.indices.contains(next) else { return }
    set(row, to: modes[next], until: row.setting.until)
  }

  /// No end, an hour, eight hours, and no end again.
  private func changeTime(of row: SharingRow) {
    guard row.setting.mode > .off else {
      return interface.say(
        "\(actions.table.way(to: .sharingMore)) shares something first; then "
          + "\(actions.table.way(to: .sharingTime)) gives it an end.")
    }
    let now = WireTime.now
    let until: WireTime? =
      switch row.setting.until.map({ $0.since(now) }) {
      case nil: now.advanced(by: .seconds(3600))
      case .some(let left) where left <= .seconds(3600): now.advanced(by: .seconds(8 * 3600))
      default: nil
      }
    set(row, to: row.setting.mode, until: until)
  }

  private func set(_ row: SharingRow, to mode: SharingMode, until: WireTime?) {
    let store = locationSharingStore
    let friendID = row.friendID
    let interface = interface
    let until = mode == .off ? nil : until
    // At once: the next key of the same burst goes on from here.
    let wasGhost = store.ghostPhase == .gone
    Task.immediate {
      let outcome = await store.decideSharing(mode, for: friendID, until: until)
      guard let change = outcome.value else { return }
      if wasGhost, store.ghostPhase == nil {
        interface.say("You are no ghost any more: \(store.sharingSentence).", kind: .warning)
      }
      interface.history.note(
        ActHistory.Act(
          label: "what \(row.name) may see of you",
          undo: { await store.undoSharing(change).isDone },
          redo: { await store.setSharing(mode, for: friendID, until: until).isDone }))
    }
  }
}

/// The default or a friend, with what they may see.
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
  var isSettling: Bool

  var friendID: UUID? { if case .friend(let id) = id { id } else { nil } }

  @MainActor
  static func rows(_ store: LocationSharingStore, at now: WireTime) -> [SharingRow] {
    guard let sharing = store.sharing else { return [] }
    let general = SharingRow(
      id: .general, name: "everybody else", handle: "", setting: sharing.general,
      followsDefault: false, isSettling: store.isDefaultSettling)
    let friends = sharing.friends.sorted { $0.username < $1.username }.map { friend in
      SharingRow(
        id: .friend(friend.id), name: friend.displayName, handle: "@\(friend.username)",
        setting: sharing.setting(for: friend.id, at: now), followsDefault: friend.own == nil,
        isSettling: store.isSettling(friend.id))
    }
    return [general] + friends
  }

  @MainActor
  func line(isSelected: Bool) -> Line {
    Line(
      Span(isSelected ? "▸" : " "), Span(isSettling ? "~" : " ", .warning),
      Span(name.truncated(toCells: 18).padded(toCells: 19)),
      Span(handle.truncated(toCells: 12).padded(toCells: 13), .dim),
      Span(setting.sentence, setting.mode > .off ? .normal : .dim),
      Span(followsDefault ? "  default" : "", .dim))
  }
}
