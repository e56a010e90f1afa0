import Foundation
import RallyDomain
import RallyWire
import TerminalKit

/// How much of my position is shared: by default, and with each friend.
struct SharingSheet: View {
  /// The initially selected friend; nil for the default.
  let friendID: UUID?

  @Environment(\.actions) private var actions
  @Environment(\.currentLocationProvider) private var currentLocationProvider
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.privacyRulesStore) private var privacyRulesStore
  @Environment(\.interface) private var interface
  @State private var selection: SharingRow.ID?

  var body: some View {
    let rows = rows
    let selected = selected
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
        if let held = privacyRulesStore.sentence(of: currentLocationProvider) {
          Text(held, .warning)
        }
        Text(locationSharingStore.sharingSentence, .dim)
        KeyHints(joined: [
          ([Self.less.action, Self.more.action], "less, more"),
          ([Self.time.action], "for a time"),
          ([.back], "close"),
        ])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 68)
    .actions(Self.all, in: self)
    .onAction(.open, if: isKnown) { change(by: 1, around: true) }
    .onAction(.leave) { interface.overlay = nil }
    .onAction(GlobalActions.precision.id) { interface.overlay = nil }
  }

  private var rows: [SharingRow] { SharingRow.rows(locationSharingStore, at: .now) }

  private var selected: SharingRow? {
    let id = selection ?? friendID.map(SharingRow.ID.friend) ?? .general
    return rows.first { $0.id == id } ?? rows.first
  }

  private var isKnown: Bool { locationSharingStore.sharing != nil }

  private func change(by step: Int, around: Bool = false) {
    let modes = SharingMode.allCases.sorted()
    guard let row = selected, let index = modes.firstIndex(of: row.setting.mode) else { return }
    var next = index + step
    if around { next = (next + modes.count) % modes.count }
    guard modes.indices.contains(next) else { return }
    set(row, to: modes[next], until: row.setting.until)
  }

  /// No end, an hour, eight hours, and no end again.
  private func changeTime() {
    guard let row = selected else { return }
    guard row.setting.mode > .off else {
      return interface.say(
        "\(actions.table.way(to: Self.more.id)) shares something first; then "
          + "\(actions.table.way(to: Self.time.id)) gives it an end.")
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
    // Immediately, since the next key of the same burst continues from here.
    let wasGhost = store.ghostPhase == .gone
    Task.immediate {
      let outcome = await store.decideSharing(mode, for: friendID, until: until)
      guard let change = outcome.value else { return }
      if wasGhost, store.ghostPhase == nil {
        interface.say("You are no longer a ghost: \(store.sharingSentence).", kind: .warning)
      }
      interface.history.record(
        UndoHistory.Command(
          label: "what \(row.name) may see of you",
          undo: { await store.undoSharing(change).isDone },
          redo: { await store.setSharing(mode, for: friendID, until: until).isDone }))
    }
  }
}

nonisolated extension SharingSheet {
  static let more = FeatureAction<Self>(
    id: "sharing.more", name: "share-more", title: "more", summary: "Let them see more.",
    keys: ["l", "Right", "+"], section: "Sharing",
    footer: FooterPlace(rank: 100, label: "more, less", partners: [less.id]), shown: { $0.isKnown },
    run: { $0.change(by: 1) })
  static let less = FeatureAction<Self>(
    id: "sharing.less", name: "share-less", title: "less", summary: "Let them see less.",
    keys: ["h", "Left", "-"], section: "Sharing", shown: { $0.isKnown }, run: { $0.change(by: -1) })
  static let time = FeatureAction<Self>(
    id: "sharing.time", name: "share-time", title: "for a time",
    summary: "Share for an hour, for eight hours, or without an end.", keys: ["t"],
    section: "Sharing", footer: 110, shown: { $0.isKnown }, run: { $0.changeTime() })

  static let all = [more, less, time]
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
  var isInFlight: Bool

  var friendID: UUID? { if case .friend(let id) = id { id } else { nil } }

  @MainActor
  static func rows(_ store: LocationSharingStore, at now: WireTime) -> [SharingRow] {
    guard let sharing = store.sharing else { return [] }
    let general = SharingRow(
      id: .general, name: "everybody else", handle: "", setting: sharing.general,
      followsDefault: false, isInFlight: store.isDefaultInFlight)
    let friends = sharing.friends.sorted { $0.username < $1.username }.map { friend in
      SharingRow(
        id: .friend(friend.id), name: friend.displayName, handle: "@\(friend.username)",
        setting: sharing.setting(for: friend.id, at: now), followsDefault: friend.own == nil,
        isInFlight: store.isInFlight(friend.id))
    }
    return [general] + friends
  }

  @MainActor
  func line(isSelected: Bool) -> Line {
    Line(
      Span(isSelected ? "▸" : " "), Span(isInFlight ? "~" : " ", .warning),
      Span(name.truncated(toCells: 18).padded(toCells: 19)),
      Span(handle.truncated(toCells: 12).padded(toCells: 13), .dim),
      Span(setting.sentence, setting.mode > .off ? .normal : .dim),
      Span(followsDefault ? "  default" : "", .dim))
  }
}
