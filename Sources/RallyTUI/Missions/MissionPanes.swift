import FoundationEssentials
import RallyDomain
import RallyWire
import TerminalKit

/// Missions at the left, the selected one at the right, on a wide screen its radar between them; on
/// a narrow one one at a time.
struct MissionPanes: View {
  let viewModel: MissionsViewModel
  let feeds: [UUID?: MissionFeed]
  let selection: Binding<UUID?>
  /// The mission that keys are in; nil for the list.
  let openedID: UUID?
  let rowSelection: Binding<MissionDetailRow.ID?>
  let messageDraft: MessageDraft
  var isListActive = true
  /// A mission that no list has any more, as it is known otherwise.
  var find: @MainActor (UUID) -> Mission? = { _ in nil }
  /// Where the talk of a mission is new.
  var talkMark: @MainActor (UUID) -> TalkMark? = { _ in nil }
  /// The talk of the mission that keys are in was on the screen up to this time.
  var onSee: @MainActor (UUID, WireTime) -> Void = { _, _ in }
  var onEnd: @MainActor (UUID) -> Void = { _ in }

  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.paneLayoutService) private var paneLayoutService
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    if !isPlain, let detail = paneLayoutService.width(of: .missions, in: terminalSize.width) {
      SplitPanes(
        sideWidth: detail,
        onDrag: { paneLayoutService.widen(.missions, by: $0, in: terminalSize.width) }
      ) {
        let room = terminalSize.width - detail - 1
        if let map = PaneWidths.map(of: .missions, in: terminalSize.width, detail: detail) {
          SplitPanes(sideWidth: map) {
            list(width: room - map - 1)
          } side: {
            ShownRadar(
              viewModel: viewModel, selection: selection, openedID: openedID,
              rowSelection: rowSelection, find: find)
          }
        } else {
          list(width: room)
        }
      } side: {
        ShownMission(
          viewModel: viewModel, feeds: feeds, selection: selection, openedID: openedID,
          width: detail,
          rowSelection: rowSelection, messageDraft: messageDraft, find: find, talkMark: talkMark,
          onSee: onSee, onEnd: onEnd
        )
        .frame(width: detail)
        .frame(maxHeight: .max, alignment: .topLeading)
      }
    } else if openedID != nil {
      ShownMission(
        viewModel: viewModel, feeds: feeds, selection: selection, openedID: openedID,
        width: terminalSize.width, rowSelection: rowSelection, messageDraft: messageDraft,
        find: find, talkMark: talkMark, onSee: onSee, onEnd: onEnd
      )
      .frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
    } else {
      list(width: terminalSize.width)
    }
  }

  private func list(width: Int) -> some View {
    MissionList(
      viewModel: viewModel, selection: selection, width: width,
      isActive: isListActive && openedID == nil)
  }
}

/// The radar of what is opened, or of what the list selects.
private struct ShownRadar: View {
  let viewModel: MissionsViewModel
  let selection: Binding<UUID?>
  let openedID: UUID?
  let rowSelection: Binding<MissionDetailRow.ID?>
  let find: @MainActor (UUID) -> Mission?

  var body: some View {
    if let mission = viewModel.mission(openedID ?? selection.wrappedValue, else: find) {
      MissionRadarPane(mission: mission, selection: rowSelection, now: viewModel.now)
    }
  }
}

/// The detail of what is opened, or of what the list selects; only this runs again when the
/// selection moves.
private struct ShownMission: View {
  let viewModel: MissionsViewModel
  let feeds: [UUID?: MissionFeed]
  let selection: Binding<UUID?>
  let openedID: UUID?
  let width: Int
  let rowSelection: Binding<MissionDetailRow.ID?>
  let messageDraft: MessageDraft
  let find: @MainActor (UUID) -> Mission?
  let talkMark: @MainActor (UUID) -> TalkMark?
  let onSee: @MainActor (UUID, WireTime) -> Void
  let onEnd: @MainActor (UUID) -> Void

  var body: some View {
    let id = openedID ?? selection.wrappedValue
    let mission = viewModel.mission(id, else: find)
    if openedID != nil || mission != nil {
      MissionDetail(
        mission: mission, feed: id.flatMap { feeds[$0] }, viewModel: viewModel, width: width,
        selection: rowSelection, isActive: openedID != nil, messageDraft: messageDraft,
        talkMark: id.flatMap(talkMark), onSee: { if let id { onSee(id, $0) } },
        onEnd: { if let id { onEnd(id) } })
    }
  }
}
