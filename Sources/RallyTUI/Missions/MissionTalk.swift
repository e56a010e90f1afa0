import FoundationEssentials
import Observation
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import RallyWords
import TerminalKit

/// Where the talk of a mission was new to me.
struct TalkMark: Hashable {
  /// Lines after this time are new.
  var seenUpTo: WireTime
  /// When the mission was opened: what comes later is watched as it comes, and no rule is put
  /// before it. Nil while it is not open.
  var openedAt: WireTime?

  func isNew(_ line: MissionActivityRecord, to me: UUID?) -> Bool {
    line.isOf(others: me) && line.createdAt > seenUpTo
  }

  /// The line below the rule; nil without a rule.
  ///
  /// - Parameter lines: The newest first.
  func firstNew(in lines: [MissionActivityRecord], to me: UUID?) -> MissionActivityRecord? {
    guard let first = lines.last(where: { isNew($0, to: me) }) else { return nil }
    return openedAt.map { first.createdAt > $0 } ?? false ? nil : first
  }
}

extension MissionDetailRows {
  /// The talk, the newest line last.
  mutating func addTalk() {
    addGap()
    add(
      MissionDetailRow(
        id: .talk, spans: [Span("Activity", .title)],
        note: viewModel.isLive && mission.myState == .joined
          ? [Span(isPlain ? "live" : "● live", .success)] : []))
    guard mission.myState == .joined else {
      return add(wrapped: "Only members see the activity.", .dim)
    }
    let feed = feed ?? MissionFeed()
    let lines = feed.lines.prefix(talkLimit ?? feed.lines.count)
    if talkLimit == nil, feed.hasMore, !feed.lines.isEmpty, !feed.isLoading {
      add(wrapped: "↑ older lines", .dim)
    }
    let firstNew = talkMark?.firstNew(in: Array(lines), to: viewModel.me)
    for line in lines.reversed() {
      if line.id == firstNew?.id { addNewRule() }
      add(line)
    }
    if let problem = feed.problem {
      add(wrapped: problem, .danger)
    } else if feed.lines.isEmpty {
      add(
        wrapped: feed.isLoading || feed.hasMore ? "Fetching…" : "Nothing has happened yet.", .dim)
    }
  }

  private mutating func addNewRule() {
    let title = "── new "
    let line =
      isPlain ? "new:" : title + String(repeating: "─", count: max(0, width - title.count))
    add(MissionDetailRow(id: .newRule, spans: [Span(line, .accent)]))
  }

  private mutating func add(_ line: MissionActivityRecord) {
    let time =
      MissionFormatter.pastMoment(line.createdAt, at: viewModel.now).padded(toCells: 6) + " "
    let (who, what) = MissionFormatter.activity(line, me: viewModel.me)
    let room = max(8, width - time.cellWidth)
    for (index, text) in (who + what).wrapped(toCells: room).enumerated() {
      let isFirst = index == 0
      let name = isFirst && text.hasPrefix(who) ? who : ""
      add(
        MissionDetailRow(
          id: isFirst ? .activity(line.id) : .text(count),
          spans: [
            Span(isFirst ? time : String(repeating: " ", count: time.cellWidth), .dim),
            Span(name, .accent),
            Span(text.dropFirst(name.count), line.kind == .said ? .normal : .dim),
          ],
          time: line.createdAt))
    }
  }
}

/// What is unread next.
enum NextUnread: Equatable {
  /// A line of the mission that is open.
  case line(UUID)
  case mission(UUID)

  /// - Parameters:
  ///   - missionID: The mission that is open or selected.
  ///   - row: What is selected in the open mission.
  ///   - lines: Of the open mission, the newest first.
  ///   - mark: Where the talk of the open mission was new; nil while none is open.
  init?(
    in viewModel: MissionsViewModel, after missionID: UUID?, row: MissionDetailRow.ID?,
    lines: [MissionActivityRecord], mark: TalkMark?
  ) {
    let selected = lines.first { row == .activity($0.id) }
    let next = lines.last { line in
      (mark?.isNew(line, to: viewModel.me) ?? false)
        && (selected.map { line.createdAt > $0.createdAt } ?? true)
    }
    if let next {
      self = .line(next.id)
      return
    }
    let others = MissionsSection.allCases.filter { $0 != viewModel.section }
    let ids = (viewModel.missions + others.flatMap { viewModel.missions(of: $0) }).map(\.id)
    let start = missionID.flatMap { ids.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    let unread = (ids[start...] + ids[..<start]).first {
      $0 != missionID && viewModel.unread[$0] != nil
    }
    // In the list, the selected mission is the last one to be found.
    guard let found = unread ?? (mark == nil ? missionID : nil), viewModel.unread[found] != nil
    else { return nil }
    self = .mission(found)
  }
}

/// What a person is about to say, for each mission: a text belongs to the mission it was begun in.
@Observable
final class MessageDraft {
  /// In which mission keys go into the line now.
  private(set) var typingIn: UUID?
  private(set) var texts: [UUID: String] = [:]
  /// Why the last line was not taken.
  private(set) var problems: [UUID: String] = [:]
  private(set) var sending: Set<UUID> = []

  func begin(in missionID: UUID) { typingIn = missionID }

  /// Leaves the line; the text stays.
  func leave() { typingIn = nil }

  func text(in missionID: UUID) -> Binding<String> {
    Binding(
      get: { self.texts[missionID] ?? "" },
      set: {
        self.texts[missionID] = $0
        if self.problems[missionID] != nil { self.problems[missionID] = nil }
      })
  }

  /// Sends the line once; it is taken away only when it was taken.
  func send(in missionID: UUID, with store: MissionsStore, of interface: Interface) {
    let text = texts[missionID] ?? ""
    guard !sending.contains(missionID) else { return }
    guard !text.trimmed.isEmpty else { return leave() }
    sending.insert(missionID)
    problems[missionID] = nil
    Task.immediate {
      let outcome = await interface.act("What you said") { await store.say(text, in: missionID) }
      sending.remove(missionID)
      if outcome.isDone {
        if texts[missionID] == text { texts[missionID] = nil }
      } else {
        problems[missionID] = outcome.failureSentence
      }
    }
  }
}

/// The line at the foot of a mission: `s` goes into it, Enter sends, Esc leaves.
struct MessageLine: View {
  let missionID: UUID
  let messageDraft: MessageDraft
  /// How many lines of others are further down.
  var unread = 0

  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface

  var body: some View {
    let isTyping = messageDraft.typingIn == missionID
    let text = messageDraft.texts[missionID] ?? ""
    VStack(spacing: 0) {
      if let problem = messageDraft.problems[missionID] {
        Paragraph("! \(problem)", .danger).padding(horizontal: 1)
      }
      if isTyping {
        HStack(spacing: 0) {
          Text(messageDraft.sending.contains(missionID) ? " ~ " : " > ", .accent).frame(width: 3)
          TextField(
            text: messageDraft.text(in: missionID),
            placeholder: "say something, \(actions.table.way(to: .submit)) sends", isFocused: true
          ) { messageDraft.send(in: missionID, with: missionsStore, of: interface) }
        }
        .frame(height: 1)
        .onEditing(
          LongText(
            name: "message", id: missionID, text: messageDraft.text(in: missionID),
            limit: TextLimits.line.clusters)
        )
        .onAction(.back) { messageDraft.leave() }
      } else {
        HStack(spacing: 0) {
          Line(
            Span(" \(actions.table.hint(for: MissionActions.say.id)) ", .accent),
            Span(text.isEmpty ? "say something" : text, .dim)
          )
          .onClick { [actions] in actions.perform(MissionActions.say.id) }
          if unread > 0 {
            Text("\(unread) new \(actions.table.way(to: MissionActions.nextUnread.id)) ", .accent)
              .layoutPriority(1)
          }
        }
        .frame(height: 1)
        .showsHints(
          of: [MissionActions.say.id] + (unread > 0 ? [MissionActions.nextUnread.id] : []))
      }
    }
  }
}
