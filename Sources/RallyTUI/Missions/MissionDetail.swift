import FoundationEssentials
import RallyDomain
import RallySystem
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
  /// Where the talk is new.
  var talkMark: TalkMark?
  /// The talk was on the screen up to this time, in the mission that keys are in.
  var onSee: @MainActor (WireTime) -> Void = { _ in }
  /// The oldest line that is known was reached.
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
          isActive: isActive, isTalking: messageDraft.typingIn == mission.id,
          talkMark: talkMark, onSee: onSee, onEnd: onEnd
        )
        .frame(maxHeight: .max)
        if isActive {
          CheckInNote(mission: mission, viewModel: viewModel, selection: selection)
            .layoutPriority(1)
        }
        if mission.canBeSpokenIn(at: viewModel.now) {
          MessageLine(
            missionID: mission.id, messageDraft: messageDraft,
            unread: isActive ? viewModel.unread[mission.id] ?? 0 : 0
          ).layoutPriority(1)
        }
      }
    } else {
      Paragraph(
        "This mission no longer exists, or you cannot see it. "
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

  /// The height of the radar; nil where the text needs the room, where it has a pane of its own, or
  /// for a reader of lists.
  private var radarRows: Int? {
    guard terminalSize.width < PaneWidths.threePanes else { return nil }
    let rows = min(terminalSize.height - Self.otherRows, width / 4)
    let hasRoom = rows >= Self.leastSize.height && width >= Self.leastSize.width
    return hasRoom && !isPlain ? rows : nil
  }
}

private struct MissionDetailList: View {
  let mission: Mission
  let feed: MissionFeed?
  let viewModel: MissionsViewModel
  let width: Int
  let selection: Binding<MissionDetailRow.ID?>
  let isActive: Bool
  /// Whether keys go into the message line.
  let isTalking: Bool
  let talkMark: TalkMark?
  let onSee: @MainActor (WireTime) -> Void
  let onEnd: @MainActor () -> Void

  @Environment(\.interface) private var interface
  @Environment(\.isPlain) private var isPlain
  @Environment(\.mapStore) private var mapStore
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.placeNames) private var placeNames
  @Environment(\.terminal) private var terminal
  @Environment(\.terminalSize) private var terminalSize
  @State private var fills = ObjectiveFills()
  /// Whether a line was said here since the mission was opened.
  @State private var hasSpoken = false

  var body: some View {
    let inside = max(1, width - 2)
    let rows = MissionDetailRows(
      mission: mission, feed: feed, viewModel: viewModel, width: inside, isPlain: isPlain,
      talkMark: talkMark,
      // Beside the list it is what is newest; all of it is there once the mission is opened.
      talkLimit: isActive ? nil : terminalSize.height / 6, coming: coming,
      placeName: { placeNames.name(at: $0) }
    ).made()
    let fills = fills
    let _ = fills.update(mission, hasMotion: viewModel.hasMotion)
    let isLookedAt = isActive && !interface.isCovered && terminal.hasFocus
    let placement = RowPlacement<MissionDetailRow.ID>(
      bottom: .talk, initial: initialRow(rows)
    ) { visible in
      if isLookedAt { see(rows[visible]) }
    }
    // Another mission is another list, and so is one that is opened: each begins at its top.
    ForEach([Shown(missionID: mission.id, isOpened: isActive)], id: \.self) { _ in
      List(
        rows, id: \.id, selection: isActive ? selection : .constant(nil),
        placement: placement,
        isActive: isActive,
        // Older lines come above what is read and are not new.
        finding: RowLookup(question: feed?.lines.last?.id),
        isSelectable: { $0.isSelectable }
      ) { row, _ in
        if let id = row.objectiveID, let mark = row.mark {
          HStack(spacing: 0) {
            ObjectiveMark(id: id, mark: mark, fills: fills)
            row.line(width: inside - mark.text.cellWidth)
          }
        } else {
          row.line(width: inside)
        }
      }
      .padding(horizontal: 1)
    }
    .onChange(of: mission.id) { _, _ in selection.wrappedValue = nil }
    .onChange(of: Shown(missionID: mission.id, isOpened: isActive)) { _, _ in hasSpoken = false }
    .onChange(of: feed?.lines.first) { former, newest in follow(newest, after: former) }
    TalkStart(
      selection: selection, oldest: feed?.lines.last?.id, isActive: isActive, onReach: onEnd)
  }

  /// Positions are read for those who come here only.
  private var coming: [Coming] {
    mapStore.coming(missionsStore.coming, to: mission, at: viewModel.now)
  }

  private struct Shown: Hashable {
    var missionID: UUID
    var isOpened: Bool
  }

  /// What is in view before something is selected: what is new, else the newest line for who talks
  /// and beside the list, else the title.
  private func initialRow(_ rows: [MissionDetailRow]) -> MissionDetailRow.ID? {
    guard mission.myState == .joined else { return nil }
    let new = rows.firstIndex { $0.id == .newRule }.map { rows[$0 + 1].id }
    if isActive, !isTalking, !hasSpoken { return new }
    // Who said something last looks at that.
    let isOfOthers = feed?.lines.first?.isOf(others: viewModel.me) ?? false
    return isOfOthers ? new ?? rows.last?.id : rows.last?.id
  }

  private func see(_ rows: ArraySlice<MissionDetailRow>) {
    if let time = rows.compactMap(\.time).max() { onSee(time) }
  }

  /// Who reads the newest line goes on to one that comes; who says one looks at the end.
  private func follow(_ newest: MissionActivityRecord?, after former: MissionActivityRecord?) {
    guard isActive, let newest, let former, newest.createdAt > former.createdAt else { return }
    if newest.userID == viewModel.me {
      hasSpoken = true
      if case .activity? = selection.wrappedValue { selection.wrappedValue = nil }
    } else if selection.wrappedValue == .activity(former.id) {
      selection.wrappedValue = .activity(newest.id)
    }
  }
}

/// Reports that the selection reached the oldest line; draws nothing. Only this body runs when the
/// selection moves.
private struct TalkStart: View {
  let selection: Binding<MissionDetailRow.ID?>
  let oldest: UUID?
  let isActive: Bool
  let onReach: @MainActor () -> Void

  var body: some View {
    let isAtStart = isActive && oldest.map { selection.wrappedValue == .activity($0) } ?? false
    EmptyView().onChange(of: isAtStart) { _, isAtStart in if isAtStart { onReach() } }
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

/// Above the message line of the opened mission: the key of the check-in for who has arrived, and
/// what it tells to whom for who has not checked in before.
struct CheckInNote: View {
  let mission: Mission
  let viewModel: MissionsViewModel
  let selection: Binding<MissionDetailRow.ID?>

  @Environment(\.actions) private var actions
  @Environment(\.missionsStore) private var missionsStore

  var body: some View {
    if let objective = mission.objective(selectedBy: selection.wrappedValue),
      ActionAvailability(mission, viewModel).checkIn(at: objective) == nil
    {
      let sentences = [
        hasArrived
          ? "You are there: \(actions.table.way(to: MissionActions.checkIn.id)) checks in at "
            + "\(objective.title)." : nil,
        viewModel.hasCheckedIn
          ? nil
          : "The members will see that you were at \(objective.title), and when. Your position is "
            + "checked, not kept.",
      ].compactMap(\.self)
      if !sentences.isEmpty {
        Paragraph(sentences.joined(separator: " "), .accent).padding(horizontal: 1)
      }
    }
  }

  /// Whether I was on the way, and am in the mission's radius.
  private var hasArrived: Bool {
    missionsStore.coming.contains {
      $0.missionID == mission.id && $0.userID == viewModel.me && $0.arrivedAt != nil
    }
  }
}

extension Mission {
  /// The objective that a check-in is made at: the selected one, or the first open one while nothing
  /// is selected; nil while something else is.
  func objective(selectedBy row: MissionDetailRow.ID?) -> ObjectiveRecord? {
    guard let row else { return record.objectives.first { !$0.isDone } }
    return record.objectives.first { row == .objective($0.id) }
  }
}

/// The objectives of a mission that were completed a moment ago: the mark of each fills.
final class ObjectiveFills {
  static let step = Duration.milliseconds(100)
  static let signs = ["○", "◔", "◑", "◕", "●"]

  private var arrivals = Arrivals<UUID>(length: step * signs.count)
  private var missionID: UUID?

  /// Takes the mission as it is shown now.
  func update(_ mission: Mission, hasMotion: Bool) {
    if mission.id != missionID || !hasMotion { arrivals.forget() }
    missionID = mission.id
    guard hasMotion else { return }
    arrivals.update(Set(mission.objectives.lazy.filter(\.isDone).map(\.id)))
  }

  /// What is drawn instead of the mark, in one cell, and when it is another one; nil for the mark.
  func sign(of id: UUID, at now: ContinuousClock.Instant) -> (text: String, rest: Duration)? {
    guard let elapsed = arrivals.elapsed(at: now)[id] else { return nil }
    // A terminal may take two cells for some of them.
    let signs = Self.signs.filter { $0.cellWidth == 1 }
    guard !signs.isEmpty else { return nil }
    let length = arrivals.length / signs.count
    let number = min(Int(elapsed / length), signs.count - 1)
    return (signs[number], length * (number + 1) - elapsed)
  }
}

/// The mark of an objective in the first cell of its row.
struct ObjectiveMark: View {
  let id: UUID
  let mark: Span
  let fills: ObjectiveFills

  var body: some View {
    CanvasView { canvas, rect in
      let sign = fills.sign(of: id, at: canvas.now)
      canvas.draw(sign?.text ?? mark.text, at: rect.origin, style: mark.style)
      if let sign { canvas.requestFrame(after: sign.rest) }
    }
    .frame(width: mark.text.cellWidth, height: 1)
  }
}
