import FoundationEssentials
import Observation
import RallyDomain
import RallyWire
import TerminalKit

/// How this person looks at the missions: what is neither the server's nor of use to another tab.
@MainActor
@Observable
final class MissionsViewState {
  /// Who is selected in each list.
  var selections: [MissionsSection: UUID] = [:]
  /// What is selected in the mission that is open.
  var row: MissionDetailRow.ID?
  var filter = ""
  var isFiltering = false
  let messageDraft = MessageDraft()
  /// Where the talk was new when the mission that is open was opened.
  @ObservationIgnored private var openedTalk: (missionID: UUID, mark: TalkMark)?

  func selection(in section: MissionsSection) -> Binding<UUID?> {
    Binding(get: { self.selections[section] }, set: { self.selections[section] = $0 })
  }

  /// Where the talk of a mission is new: of the one that is open, as it was when it was opened.
  ///
  /// - Parameter seenUpTo: Up to when it was seen by now.
  func talkMark(
    of missionID: UUID, isOpened: Bool, seenUpTo: WireTime, now: WireTime
  ) -> TalkMark {
    guard isOpened else { return TalkMark(seenUpTo: seenUpTo) }
    if let openedTalk, openedTalk.missionID == missionID { return openedTalk.mark }
    let mark = TalkMark(seenUpTo: seenUpTo, openedAt: now)
    openedTalk = (missionID, mark)
    return mark
  }

  /// Forgets where the talk was new: no mission is open any more.
  func closeTalk() { openedTalk = nil }
}
