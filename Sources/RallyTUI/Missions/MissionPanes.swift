import Foundation
import RallyDomain
import RallyWire
import TerminalKit

/// Missions at the left, the selected one at the right; on a narrow screen one at a time.
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
        MissionList(
          viewModel: viewModel, selection: selection, width: terminalSize.width - detail - 1,
          isActive: isListActive && openedID == nil)
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
      MissionList(
        viewModel: viewModel, selection: selection, width: terminalSize.width,
        isActive: isListActive)
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
    let mission = id.flatMap { id in
      viewModel.missions(of: viewModel.section).first { $0.id == id } ?? find(id)
    }
    if openedID != nil || mission != nil {
      MissionDetail(
        mission: mission, feed: id.flatMap { feeds[$0] }, viewModel: viewModel, width: width,
        selection: rowSelection, isActive: openedID != nil, messageDraft: messageDraft,
        talkMark: id.flatMap(talkMark), onSee: { if let id { onSee(id, $0) } },
        onEnd: { if let id { onEnd(id) } })
    }
  }
}
