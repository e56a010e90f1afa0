import Foundation
import RallyDomain
import RallyWire
import TerminalKit

/// A mission with its objectives, its people and what happened, and the line to say something.
struct MissionDetail: View {
  let mission: Mission?
  let feed: MissionFeed?
  let viewModel: MissionsViewModel
  /// Cells, the blanks at both sides among them.
  let width: Int
  let selection: Binding<MissionDetailRow.ID?>
  /// Whether keys move here, and not in the list.
  var isActive = false
  let messageDraft: MessageDraft
  /// The end of what is known came into view.
  var onEnd: @MainActor () -> Void = {}

  @Environment(\.actions) private var actions
  @Environment(\.isPlain) private var isPlain
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    if let mission {
      VStack(spacing: 0) {
        if let rows = radarRows {
          MissionRadarPane(mission: mission, selection: selection, now: viewModel.now)
            .frame(height: rows)
            .padding(horizontal: 1)
        }
        MissionDetailList(
          mission: mission, feed: feed, viewModel: viewModel, width: width, selection: selection,
          isActive: isActive, onEnd: onEnd
        )
        .frame(maxHeight: .max)
        if mission.canBeSpokenIn(at: viewModel.now) {
          MessageLine(missionID: mission.id, messageDraft: messageDraft).layoutPriority(1)
        }
      }
    } else {
      Paragraph(
        "This mission is not there any more, or not for you. "
          + "\(actions.table.way(to: .back)) goes back.", .dim
      )
      .padding(horizontal: 1, vertical: 1)
    }
  }
}

extension MissionDetail {
  /// The lines of the screen that everything else needs: head, objectives and some of the talk.
  private static let otherRows = 22
  private static let leastSize = Size(width: 34, height: 6)

  /// The height of the radar; nil where the text needs the room, or for a reader of lists.
  private var radarRows: Int? {
    let rows = min(terminalSize.height - Self.otherRows, width / 4)
    let hasRoom = rows >= Self.leastSize.height && width >= Self.leastSize.width
    return hasRoom && !isPlain ? rows : nil
  }
}

/// The radar of a mission, with the selected objective on it.
private struct MissionRadarPane: View {
  let mission: Mission
  let selection: Binding<MissionDetailRow.ID?>
  let now: WireTime

  @Environment(\.actions) private var actions
  @Environment(\.mapGlyphs) private var mapGlyphs
  @Environment(\.mapStore) private var mapStore

  var body: some View {
    let members = Set(mission.joined.map(\.userID))
    let radar = MissionRadar(
      mission,
      positions: mapStore.positions.filter { members.contains($0.id) && $0.isShown(at: now) },
      me: mapStore.myPosition, glyphs: mapGlyphs, at: now)
    SmallMap(
      markers: radar.markers, fitted: radar.fitted, selectedID: selectedID, origin: radar.origin
    ) { actions.perform(MissionActions.showOnMap.id) }
  }

  private var selectedID: String? {
    guard case .objective(let id)? = selection.wrappedValue else { return nil }
    return mission.objectives.first { $0.id == id }.map(MissionRadar.id)
  }
}

private struct MissionDetailList: View {
  let mission: Mission
  let feed: MissionFeed?
  let viewModel: MissionsViewModel
  let width: Int
  let selection: Binding<MissionDetailRow.ID?>
  let isActive: Bool
  let onEnd: @MainActor () -> Void

  @Environment(\.isPlain) private var isPlain

  var body: some View {
    let inside = max(1, width - 2)
    let rows = MissionDetailRows(
      mission: mission, feed: feed, viewModel: viewModel, width: inside, isPlain: isPlain,
      placeName: { PlaceNames.shared.name(at: $0) }
    ).made()
    let last = rows.last { $0.isSelectable }?.id
    // Another mission is another list, which begins at its top.
    ForEach([mission.id], id: \.self) { _ in
      List(
        rows, id: \.id, selection: isActive ? selection : .constant(nil), isActive: isActive,
        finding: RowLookup(newWords: { $0.counted("new line") }),
        isSelectable: \.isSelectable
      ) { row, _ in
        row.line(width: inside)
      }
      .padding(horizontal: 1)
    }
    .onChange(of: isActive) { _, isActive in if isActive { selectFirst(of: rows) } }
    .onChange(of: mission.id) { _, _ in
      selection.wrappedValue = nil
      if isActive { selectFirst(of: rows) }
    }
    .task { if isActive { selectFirst(of: rows) } }
    MissionDetailEnd(selection: selection, last: last, isActive: isActive, onEnd: onEnd)
  }

  /// Selects the next open objective, or the first row where there is none.
  private func selectFirst(of rows: [MissionDetailRow]) {
    guard
      selection.wrappedValue == nil
        || !rows.contains(where: { $0.id == selection.wrappedValue })
    else { return }
    let next = mission.objectives.first { !$0.isDone } ?? mission.objectives.first
    selection.wrappedValue =
      next.map { .objective($0.id) } ?? rows.first { $0.isSelectable }?.id
  }
}

/// Reports that the selection reached the end; draws nothing. Only this body runs when the selection
/// moves.
private struct MissionDetailEnd: View {
  let selection: Binding<MissionDetailRow.ID?>
  let last: MissionDetailRow.ID?
  let isActive: Bool
  let onEnd: @MainActor () -> Void

  var body: some View {
    let isAtEnd = isActive && last != nil && selection.wrappedValue == last
    EmptyView().onChange(of: isAtEnd) { _, isAtEnd in if isAtEnd { onEnd() } }
  }
}

extension Mission {
  /// How long the members can still talk once it is over.
  private static let afterglow = Duration.seconds(24 * 3600)

  /// Whether I may say something in it.
  func canBeSpokenIn(at now: WireTime) -> Bool {
    guard record.myState == .joined else { return false }
    if phase(at: now).isOpen { return true }
    guard let end = record.closedAt ?? record.endsAt else { return false }
    return now.since(end) < Self.afterglow
  }
}
