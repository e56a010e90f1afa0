import FoundationEssentials
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords
import TerminalKit

/// The missions of a section in rows of two lines, what waits for the network below them.
struct MissionList: View {
  let viewModel: MissionsViewModel
  let selection: Binding<UUID?>
  let width: Int
  var isActive = true

  @Environment(\.isPlain) private var isPlain
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface

  var body: some View {
    let missions = viewModel.missions
    VStack(spacing: 0) {
      if missions.isEmpty {
        emptyState
      } else {
        List(
          missions, id: \.id, selection: selection, rowHeight: rowHeight(missions),
          isActive: isActive,
          finding: RowLookup(question: [viewModel.section.rawValue, viewModel.filter])
        ) { mission, isSelected in
          if isPlain {
            let isMarked = interface.missionMarks.contains(mission.id)
            Paragraph(
              (isMarked ? "marked, " : "") + viewModel.sentence(on: mission))
          } else {
            MissionRow(
              mission: mission, viewModel: viewModel, width: width, isSelected: isSelected,
              isMarked: interface.missionMarks.contains(mission.id))
          }
        }
        .frame(maxHeight: .max)
      }
      QueuedCheckIns(pending: viewModel.pending, width: width, now: viewModel.now).layoutPriority(1)
    }
    .frame(maxWidth: .max, maxHeight: .max, alignment: .topLeading)
    .onChange(of: missions.first?.id) { _, first in
      if selection.wrappedValue == nil { selection.wrappedValue = first }
    }
    .task {
      if selection.wrappedValue == nil { selection.wrappedValue = missions.first?.id }
    }
  }

  /// Rows are of one height, so sentences have a second line each as soon as one of them needs it.
  private func rowHeight(_ missions: [Mission]) -> Int {
    guard isPlain else { return 2 }
    let isLong = missions.contains {
      viewModel.sentence(on: $0).cellWidth > width
    }
    return isLong ? 2 : 1
  }

  @ViewBuilder private var emptyState: some View {
    switch viewModel.emptyState {
    case .loading: SkeletonRows(count: 4, width: width).frame(maxHeight: .max)
    case .filteredOut:
      nothing(
        [
          "No mission here is called “\(viewModel.filter)”. "
            + "\(actions.table.way(to: .back)) clears the filter."
        ], [])
    case .nothing(let sentences, let offered): nothing(sentences, offered)
    }
  }

  private func nothing(_ sentences: [String], _ offered: [Action]) -> some View {
    VStack(spacing: 0) {
      ForEach(sentences, id: \.self) { Paragraph($0, .dim) }
      if !offered.isEmpty {
        Text("")
        ClickLine(hints(for: offered)).showsHints(of: offered.map(\.id))
      }
    }
    .padding(horizontal: 2, vertical: 1)
    .frame(maxHeight: .max, alignment: .topLeading)
  }

  private func hints(for offered: [Action]) -> [ClickLine.Part] {
    offered.compactMap { actions.table[$0.id] }.map { action in
      ClickLine.Part(
        Span("\(actions.table.hint(for: action.id)) ", .accent), Span("\(action.title)    ")
      ) { [actions] in actions.perform(action.id) }
    }
  }
}

/// Two lines: what and how far, then who and where.
struct MissionRow: View {
  let mission: Mission
  let viewModel: MissionsViewModel
  /// Cells.
  let width: Int
  let isSelected: Bool
  var isMarked = false

  var body: some View {
    VStack(spacing: 0) {
      Line(first)
      Line(second)
    }
  }

  /// Cells of the time: `cancelled`.
  private static let timeWidth = 9

  private var first: [Span] {
    let isInFlight = viewModel.inFlightIDs.contains(mission.id)
    let mark = MissionMark(mission, isInFlight: isInFlight, at: viewModel.now)
    let progress = ActivityText.progress(mission) ?? ""
    let time = isInFlight ? "sending" : MissionFormatter.timeLeft(mission, at: viewModel.now)
    // What the glyph, the progress and the time leave.
    let room = max(0, width - 3 - 1 - 5 - 1 - Self.timeWidth - 1)
    return [
      Span(isSelected ? "▸" : " "), Span(mark.glyph, mark.style),
      isMarked ? Span("✓", .accent.bold) : Span(" "),
      Span(
        mission.title.padded(toCells: room), mission.myState == .invited ? .normal.bold : .normal),
      Span(" \(progress.padded(toCells: 5, alignment: .trailing)) "),
      Span(time.padded(toCells: Self.timeWidth, alignment: .trailing), timeStyle),
    ]
  }

  private var timeStyle: Style {
    guard mission.phase(at: viewModel.now) == .active, let end = mission.endsAt,
      end.since(viewModel.now) < .seconds(3600)
    else { return .dim }
    return .warning
  }

  private var second: [Span] {
    let isInvited = mission.myState == .invited
    let unread = viewModel.unread[mission.id].map { "\($0) new " } ?? ""
    let bar =
      isInvited
      ? [Span("●", .accent.bold)]
      : MissionBar.spans(mission.record.progress, width: width >= 50 ? 12 : 8)
    let words: String =
      switch mission.myState {
      case .invited: MissionFormatter.invitation(to: mission, me: viewModel.me)
      case .left: "you left"
      case .joined, nil: MissionFormatter.people(in: mission, me: viewModel.me)
      }
    let way = MissionFormatter.way(from: viewModel.position, to: mission.centre) ?? ""
    let barWidth = bar.reduce(0) { $0 + $1.text.cellWidth }
    let lead = bar.isEmpty ? "" : isInvited ? " " : "  "
    let room = max(0, width - 3 - barWidth - lead.cellWidth - unread.cellWidth - way.cellWidth - 2)
    return [Span("   ")] + bar + [
      Span(lead), Span(unread, .accent.bold),
      Span(words.padded(toCells: room), isInvited ? .accent : .dim), Span(" \(way)", .dim),
    ]
  }
}

/// Check-ins that the server does not have: nothing that was done here is ever out of sight.
struct QueuedCheckIns: View {
  let pending: [PendingCheckIn]
  let width: Int
  let now: WireTime

  private static let limit = 4

  var body: some View {
    if !pending.isEmpty {
      VStack(spacing: 0) {
        Text(" \(heading)", .title)
        ForEach(pending.suffix(Self.limit)) { checkIn in
          let mark = checkIn.mark
          let note = " \(Age.shortByMinute(checkIn.madeAt, at: now)) "
          let room = max(0, width - 3 - note.cellWidth)
          Line(
            Span(" \(mark.glyph) ", mark.style),
            Span(
              "\(checkIn.objectiveTitle.cleanedForDisplay)\(checkIn.word)".padded(toCells: room)),
            Span(note, .dim))
        }
        if pending.count > Self.limit {
          Text("   and \(pending.count - Self.limit) more", .dim)
        }
      }
    }
  }

  private var heading: String {
    let waiting = pending.count(where: \.isWaiting)
    if waiting == pending.count { return "Queued, sent when online" }
    return waiting == 0
      ? "Check-ins that failed" : "Check-ins: \(waiting) queued, \(pending.count - waiting) failed"
  }
}

extension PendingCheckIn {
  var mark: (glyph: String, style: Style) {
    switch status {
    case .sending: ("~", .warning)
    case .queued: ("↻", .warning)
    case .late, .refused: ("!", .danger)
    }
  }

  /// What follows the objective's title: `, queued`.
  var word: String {
    switch status {
    case .sending: ", on its way"
    case .queued: ", queued"
    case .late: ", too late"
    case .refused: ", refused"
    }
  }

  /// Why it is not there yet, as a sentence; nil while it is only under way.
  var sentence: String? {
    switch status {
    case .sending: nil
    case .queued where !isKept: "Waits for the network, and is lost when Rally ends."
    case .queued: "Waits for the network."
    case .late: "The mission ended before this could be sent."
    case .refused(let reason): reason.cleanedForDisplay
    }
  }
}

/// Glyph and colour of a mission's status for me; the glyph is unambiguous without colour.
struct MissionMark {
  var glyph: String
  var style: Style

  init(_ mission: Mission, isInFlight: Bool = false, at now: WireTime) {
    if isInFlight {
      (glyph, style) = ("~", .warning)
      return
    }
    switch mission.phase(at: now) {
    case .completed: (glyph, style) = ("✓", .success)
    case .cancelled: (glyph, style) = ("x", .dim)
    case .ended: (glyph, style) = ("·", .dim)
    case .upcoming, .active:
      switch mission.myState {
      case .invited: (glyph, style) = ("?", .accent.bold)
      case .joined: (glyph, style) = ("◆", .accent)
      case .left, nil: (glyph, style) = ("◇", .dim)
      }
    }
  }
}

/// How far a mission has come, as a bar: `▰▰▱▱`.
enum MissionBar {
  /// - Parameter width: Cells; a bar of few steps has one cell for each of them, doubled where
  ///   there is room.
  static func spans(_ progress: (done: Int, of: Int), width: Int) -> [Span] {
    guard progress.of > 0, width > 0 else { return [] }
    let cells = progress.of <= width ? width / progress.of * progress.of : width
    // Something done is never drawn as nothing, and not all as everything.
    var full = progress.done * cells / progress.of
    if progress.done > 0 { full = max(1, full) }
    if progress.done < progress.of { full = min(cells - 1, full) }
    return [
      Span(String(repeating: "▰", count: full), .success),
      Span(String(repeating: "▱", count: cells - full), .dim),
    ]
  }
}
