import FoundationEssentials
import RallyDomain
import RallyMap
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// The details of a person and the available actions.
struct PersonDetail: View {
  private let find: @MainActor () -> PersonEntry?
  private let note: String?
  @Environment(\.actions) private var actions
  @Environment(\.ageClock) private var ageClock
  @Environment(\.isPlain) private var isPlain
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.mapGlyphs) private var mapGlyphs
  @Environment(\.mapStore) private var mapStore
  @Environment(\.placeClocks) private var placeClocks
  @Environment(\.terminalSize) private var terminalSize
  @State private var actionLines = KeptView<Offer>()

  /// - Parameter note: A further fact about the person: `in this mission`.
  init(entry: PersonEntry?, note: String? = nil) {
    find = { entry }
    self.note = note
  }

  /// The details of whom a list selects; only they run again when the selection moves.
  init(selectedIn rows: PeopleRows, _ selection: Binding<PeopleRow.ID?>) {
    find = { rows.entry(of: selection.wrappedValue) }
    note = nil
  }

  var body: some View {
    if let entry = find() {
      VStack(spacing: 0) {
        // Where there is no room for all, who it is stays.
        Lines(identity(of: entry)).layoutPriority(1)
        Lines(facts(of: entry))
        if !entry.profile.bio.isEmpty {
          Text("")
          Paragraph("“\(entry.profile.bio)”")
        }
        if entry.status == .friends { whereabouts(of: entry.id, at: ageClock.now) }
        // A compact terminal has them in its last row, and the room for what is said of the person.
        if !terminalSize.isCompact {
          actionLines.view(of: Offer(status: entry.status, isAsking: entry.asksSince != nil)) {
            ActionLines(ids: $0.listed).layoutPriority(1)
          }
        }
      }
      .padding(horizontal: 1)
      .aging(if: entry.showsAge)
    }
  }

  private func identity(of entry: PersonEntry) -> [Line] {
    var lines = [Line(entry.profile.displayName, .title), Line(entry.profile.handle, .dim)]
    if entry.status != .friends { lines.append(Line()) }
    return lines + [Line(status(of: entry) + hour(of: entry))]
  }

  private func facts(of entry: PersonEntry) -> [Line] {
    let now = ageClock.now
    var lines: [Line] = []
    if entry.status == .incoming, let asked = entry.askedAt {
      lines.append(Line("asked \(Age.sentenceByMinute(asked, at: now))", .dim))
    }
    lines += entry.shortQuestions(at: now).map { Line($0, .accent) }
    if let note { lines.append(Line(note, .dim)) }
    if entry.status == .friends, let since = entry.profile.since {
      lines.append(Line("friends since \(Age.day(since))", .dim))
    }
    if entry.status != .friends, let joined = entry.profile.joinedAt {
      lines.append(Line("joined \(Age.day(joined))", .dim))
    }
    return lines
  }

  /// What their clock shows, while they show where they are.
  private func hour(of entry: PersonEntry) -> [Span] {
    let now = ageClock.now
    guard entry.status == .friends, let position = mapStore.position(of: entry.id),
      position.isShown(at: now), let hour = placeClocks.hour(at: position, now: now)
    else { return [] }
    return [Span(isPlain ? ", \(hour.words)" : " · \(hour.text(mapGlyphs))", .dim)]
  }

  private func status(of entry: PersonEntry) -> [Span] {
    let now = ageClock.now
    let mark = PersonMark(entry)
    let glyph = Span(isPlain ? "" : "\(mark.glyph) ", mark.style)
    switch entry.status {
    case .incoming: return [glyph, Span(FriendshipStatus.asksForFriendship)]
    case .outgoing:
      let asked = entry.askedAt.map { ", \(Age.sentenceByMinute($0, at: now))" } ?? ""
      return [glyph, Span("you asked\(asked)")]
    case .friends:
      let presence =
        entry.profile.isOnline
        ? "online"
        : entry.profile.lastSeen.map { "seen \(Age.sentenceByMinute($0, at: now))" } ?? "offline"
      return [glyph, Span(presence)]
    case .blocked: return [glyph, Span("blocked")]
    case .none: return [glyph, Span("not a friend")]
    }
  }

  /// What decides which actions are listed.
  private struct Offer: Equatable {
    let status: FriendshipStatus
    let isAsking: Bool

    var listed: [ActionID] {
      (isAsking ? LocationAskActions.all.map(\.id) : [])
        + PersonActions.listed(for: status).map(\.id)
    }
  }
}

/// Actions with their keys, one a line, below an empty line; a click performs one.
private struct ActionLines: View {
  let ids: [ActionID]
  @Environment(\.actions) private var actions

  var body: some View {
    let keys = actions.table
    let listed = ids.compactMap { keys[$0] }
    VStack(spacing: 0) {
      Text("")
      Lines(listed.map { Line(Span("\(keys.hint(for: $0.id)) ", .accent), Span($0.title)) }) {
        [actions, listed] in actions.perform(listed[$0].id)
      }
    }
    .showsHints(of: listed.map(\.id))
  }
}

// MARK: - Where a friend is

extension PersonDetail {
  /// Rows of the screen that are not the map's: the frame's, and the most that the detail has.
  private static let otherRows = 27
  /// How high the map is, in rows.
  private static let mapRows = 6...12

  /// In words and on a small map with both of us; without a position what they see of me.
  @ViewBuilder private func whereabouts(of friendID: UUID, at now: WireTime) -> AnyView {
    let position = mapStore.position(of: friendID).flatMap { $0.isShown(at: now) ? $0 : nil }
    let sharing = PositionFormatter.sharing(with: friendID, in: locationSharingStore, at: now)
    if let position {
      Text("")
      PositionFacts(position: position, now: now).aging().layoutPriority(1)
      let room = terminalSize.height - Self.otherRows
      // Where there is room for three panes the map is one of them.
      if !isPlain, room >= Self.mapRows.lowerBound, terminalSize.width < PaneWidths.threePanes {
        map(position, at: now).frame(height: min(room, Self.mapRows.upperBound))
      }
    } else if !sharing.isEmpty {
      Text("")
      Text(sharing, .dim)
    }
  }

  private func map(_ position: FriendPosition, at now: WireTime) -> some View {
    let markers = MapMarkers.markers(
      [position], me: mapStore.myPosition, glyphs: mapGlyphs, at: now)
    return SmallMap(
      markers: markers, fitted: markers.map(\.point),
      origin: mapStore.myPosition.map { GeoPoint($0.coordinate) }
    ) { actions.perform(PersonActions.onMap.id) }
  }
}

/// Everything that a friend lets one know of where they are, and what they see of me.
struct PositionFacts: View {
  let position: FriendPosition
  let now: WireTime

  @Environment(\.groundStore) private var groundStore
  @Environment(\.mapStore) private var mapStore
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.placeNames) private var placeNames

  var body: some View {
    let me = mapStore.myPosition
    let place =
      groundStore.street(of: position) ?? placeNames.place(at: position.coordinate)
    let device = [
      PositionFormatter.movement(of: position),
      position.battery.map { "battery \(Int($0.rounded()))%" },
    ].compactMap(\.self)
    let known: [String?] = [
      PositionFormatter.age(of: position, at: now), PositionFormatter.exactness(of: position),
      place?.title, PositionFormatter.distance(of: position, from: me),
    ]
    let sharing = PositionFormatter.sharing(with: position.id, in: locationSharingStore, at: now)
    Lines(
      known.compactMap(\.self).map { Line($0) }
        + (Self.lines(device) + [sharing]).filter { !$0.isEmpty }.map { Line($0, .dim) })
  }

  /// In one line where the narrowest pane has room for it.
  static func lines(_ facts: [String]) -> [String] {
    let line = facts.joined(separator: " · ")
    return line.cellWidth <= PaneWidths.narrowest - 2 ? [line] : facts
  }
}

/// Everybody who shows me where they are, around the selected one and me, beside a wide list.
struct FriendsMap: View {
  let selectedID: Binding<PeopleRow.ID?>

  @Environment(\.actions) private var actions
  @Environment(\.ageClock) private var ageClock
  @Environment(\.mapGlyphs) private var mapGlyphs
  @Environment(\.mapStore) private var mapStore

  var body: some View {
    let now = ageClock.now
    let me = mapStore.myPosition
    let positions = mapStore.positionsByDistance(at: now)
    let selected = positions.first { .person($0.id) == selectedID.wrappedValue }
    let selectedPin = selected.map { MapMarkers.id(of: $0.id) }
    let markers = MapMarkers.markers(
      positions, me: me, selectedID: selected?.id, glyphs: mapGlyphs, at: now)
    SmallMap(
      markers: markers,
      fitted: markers.filter { [nil, $0.id].contains(selectedPin) || $0.id == MapMarkers.me }
        .map(\.point),
      selectedID: selectedPin,
      origin: me.map { GeoPoint($0.coordinate) }
    ) { actions.perform(PersonActions.onMap.id) }
    .aging(if: !positions.isEmpty)
  }
}
