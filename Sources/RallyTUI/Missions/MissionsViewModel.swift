import FoundationEssentials
import Observation
import RallyDomain
import RallyText
import RallyWire
import RallyWords
import TerminalKit

/// All values that the Missions tab shows.
struct MissionsViewModel {
  var section: MissionsSection = .active
  var active: [Mission] = []
  var nearby: [Mission] = []
  var done: [Mission] = []
  var nearbyState: NearbyState = .noPosition
  var loadState: CommunityLoadState = .loaded
  /// When the lists were fetched; nil while none was.
  var asOf: WireTime?
  var isOffline = false
  var inFlightIDs: Set<UUID> = []
  var pending: [PendingCheckIn] = []
  /// Me; nil before it is known.
  var me: UUID?
  /// Friends who are online.
  var onlineIDs: Set<UUID> = []
  /// How many lines of others I have not seen, by mission.
  var unread: [UUID: Int] = [:]
  /// My position.
  var position: Coordinate?
  /// Whether changes arrive as they happen.
  var isLive = false
  /// Whether what is new may move for a moment.
  var hasMotion = false
  /// The filter, a part of a title.
  var filter = ""
  var now = WireTime.now

  /// The missions of the shown section that match the filter.
  var missions: [Mission] {
    let all = missions(of: section)
    guard !filter.isEmpty else { return all }
    return all.filter { $0.title.foldedContains(filter) }
  }

  func missions(of section: MissionsSection) -> [Mission] {
    switch section {
    case .active: active
    case .nearby: nearby
    case .done: done
    }
  }

  /// A mission of the shown section, or what is known of it otherwise.
  func mission(_ id: UUID?, else find: (UUID) -> Mission?) -> Mission? {
    id.flatMap { id in missions(of: section).first { $0.id == id } ?? find(id) }
  }

  /// The section that contains this mission; nil if none does.
  func section(of id: UUID) -> MissionsSection? {
    ([section] + MissionsSection.allCases).first { section in
      missions(of: section).contains { $0.id == id }
    }
  }

  /// Whether I have checked in before, and so know what is told to whom.
  var hasCheckedIn: Bool {
    guard let me else { return false }
    return (active + done).contains { mission in
      mission.objectives.contains { $0.lastBy == me }
    }
  }

  /// One sentence with all that a row shows, for a reader of lists.
  func sentence(on mission: Mission) -> String {
    MissionFormatter.sentence(
      on: mission, me: me, unread: unread[mission.id], from: position, at: now)
  }

  /// Whether the age of the lists is shown.
  var isDated: Bool {
    if isOffline { return true }
    if case .failed = loadState { return true }
    return false
  }

  /// Shown when there are no rows.
  var emptyState: MissionsEmptyState {
    if !filter.isEmpty { return .filteredOut }
    if asOf == nil {
      if isOffline {
        return .nothing(
          [
            "The server was not reached, and no missions are stored."
          ], [.refresh])
      }
      if case .failed(let error) = loadState { return .nothing([error.description], [.refresh]) }
      return .loading
    }
    switch section {
    case .active: return emptyActive
    case .nearby: return emptyNearby
    case .done:
      return .nothing(
        ["Nothing is done yet: completed and ended missions are listed here."],
        [.sectionNext, MissionActions.compose.action])
    }
  }

  private var emptyActive: MissionsEmptyState {
    let compose = MissionActions.compose.action
    if let nearest = nearby.first {
      return .nothing(
        ["\(nearest.title) is near you\(MissionFormatter.distance(of: nearest, from: position))."],
        [.sectionNext, compose])
    }
    if !done.isEmpty {
      return .nothing(
        ["All done: no mission is open. What you did is in the list Done."],
        [compose, .sectionPrevious])
    }
    return .nothing(
      ["You are in no mission yet: start one alone, and friends can join later."],
      [compose, .sectionNext])
  }

  private var emptyNearby: MissionsEmptyState {
    let compose = MissionActions.compose.action
    switch nearbyState {
    case .heldBack:
      return .nothing(
        [
          "Your zones or hours hold back where you are, so nearby missions are not fetched; "
            + ":zone lists them."
        ], [Action.commandLine, compose])
    case .noPosition:
      return .nothing(
        [
          "Rally does not know where you are. :here Lisbon sets it; nobody sees it unless you "
            + "share it."
        ], [Action.commandLine, compose])
    case .within(let metres):
      return .nothing(
        ["No mission \(MissionFormatter.within(metres)) of you."],
        [MissionActions.wider.action, compose])
    }
  }
}

/// Why a list of missions has no rows.
enum MissionsEmptyState: Hashable {
  case loading
  /// No title matches the filter.
  case filteredOut
  /// One sentence, or a failure's; and the actions that help.
  case nothing([String], [Action])
}

/// How this person looks at the missions: what is neither the server's nor of use to another tab.
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
