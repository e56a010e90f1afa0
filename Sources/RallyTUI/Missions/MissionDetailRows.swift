import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// One line of a mission's detail; the whole detail is one list, so that all of it scrolls.
struct MissionDetailRow: Identifiable {
  enum ID: Hashable {
    /// Words that nothing can be done with.
    case text(Int)
    case objective(UUID)
    /// The heading of the talk.
    case talk
    /// The rule above the first line that is new.
    case newRule
    /// A line of the talk.
    case activity(UUID)
  }

  var id: ID
  /// What stands before the spans; of objectives only.
  var mark: Span?
  var spans: [Span]
  /// Said at the right edge.
  var note: [Span] = []
  /// When what the row says happened; of lines of the talk only.
  var time: WireTime?

  var isSelectable: Bool {
    switch id {
    case .text, .talk, .newRule: false
    case .objective, .activity: true
    }
  }

  var objectiveID: UUID? { if case .objective(let id) = id { id } else { nil } }

  /// The row in so many cells, its note at the right; without its mark.
  func line(width: Int) -> Line {
    guard !note.isEmpty else { return Line(spans) }
    let noteWidth = note.reduce(0) { $0 + $1.text.cellWidth }
    var room = max(0, width - noteWidth - 1)
    var cut: [Span] = []
    for span in spans {
      let text = span.text.truncated(toCells: room)
      cut.append(Span(text, span.style))
      room -= text.cellWidth
    }
    return Line(cut + [Span(String(repeating: " ", count: max(0, room) + 1))] + note)
  }
}

/// Makes the rows of a mission's detail.
struct MissionDetailRows {
  let mission: Mission
  let feed: MissionFeed?
  let viewModel: MissionsViewModel
  /// Cells.
  let width: Int
  /// Says where a coordinate is: `Lisbon`.
  var placeName: @MainActor (Coordinate) -> String? = { _ in nil }
  var isPlain = false
  /// Where the talk is new; nil for no rule.
  var talkMark: TalkMark?
  /// How many lines of the talk there are, the newest ones; nil for all.
  var talkLimit: Int?
  /// Who is on the way, as they show it to me.
  var coming: [Coming] = []

  private var rows: [MissionDetailRow] = []

  init(
    mission: Mission, feed: MissionFeed?, viewModel: MissionsViewModel, width: Int,
    isPlain: Bool = false, talkMark: TalkMark? = nil, talkLimit: Int? = nil,
    coming: [Coming] = [],
    placeName: @escaping @MainActor (Coordinate) -> String? = { _ in nil }
  ) {
    self.mission = mission
    self.feed = feed
    self.viewModel = viewModel
    self.width = max(1, width)
    self.isPlain = isPlain
    self.talkMark = talkMark
    self.talkLimit = talkLimit
    self.coming = coming
    self.placeName = placeName
  }

  func made() -> [MissionDetailRow] {
    var maker = self
    maker.addHead()
    maker.addComing()
    maker.addObjectives()
    maker.addTalk()
    return maker.rows
  }

  // MARK: Head

  private mutating func addHead() {
    let mark = MissionMark(
      mission, isInFlight: viewModel.inFlightIDs.contains(mission.id), at: viewModel.now)
    for (index, line) in mission.title.wrapped(toCells: max(1, width - 2)).enumerated() {
      let lead =
        isPlain ? [] : [index == 0 ? Span("\(mark.glyph) ", mark.style) : Span("  ")]
      add(lead + [Span(line, .title)])
    }
    addParts(
      MissionFormatter.state(of: mission, me: viewModel.me, at: viewModel.now)
        + MissionFormatter.whereabouts(
          of: mission.centre, from: viewModel.position, city: placeName(mission.centre))
        + [MissionFormatter.within(mission.radiusMetres)])
    addPeople()
    if let notice { add(wrapped: notice, .accent) }
    if !mission.brief.isEmpty { add(wrapped: mission.brief) }
  }

  private var notice: String? {
    let isOpen = mission.phase(at: viewModel.now).isOpen
    switch mission.myState {
    case .invited where isOpen:
      // A name is written as its owner writes it.
      return MissionFormatter.inviter(of: mission, me: viewModel.me).map { "\($0) invited you." }
        ?? "You are invited."
    case .left where isOpen: return "You left and can come back."
    case .joined, .invited, .left, nil: return nil
    }
  }

  /// Facts on as few lines as they fit on, parted by dots.
  private mutating func addParts(_ parts: [String]) {
    var line = ""
    for part in parts {
      let longer = line.isEmpty ? part : "\(line) · \(part)"
      if longer.cellWidth > width, !line.isEmpty {
        add([Span(line, .dim)])
        line = part
      } else {
        line = longer
      }
    }
    add([Span(line.truncated(toCells: width), .dim)])
  }

  // MARK: On the way

  /// `bob 1.2 km · 14 min at this pace`; in words for a reader of lists.
  private mutating func addComing() {
    guard !coming.isEmpty else { return }
    addGap()
    for person in coming.prefix(Self.comingLimit) {
      if isPlain {
        add(wrapped: ComingFormatter.sentence(person, me: viewModel.me, at: viewModel.now))
      } else {
        add(ComingFormatter.line(person, me: viewModel.me, width: width, at: viewModel.now))
      }
    }
    if coming.count > Self.comingLimit {
      add(
        wrapped: "and \(coming.count - Self.comingLimit) more; F shows everybody on the map", .dim)
    }
  }

  /// People on the way who are listed; a crowd would push the objectives away.
  private static let comingLimit = 12

  // MARK: Objectives

  private mutating func addObjectives() {
    guard !mission.objectives.isEmpty else { return }
    addGap()
    let next = mission.nextObjective(at: viewModel.now)?.id
    for objective in mission.objectives {
      let pending = viewModel.pending.last {
        $0.missionID == mission.id && $0.objectiveID == objective.id
      }
      add(objective, isNext: objective.id == next, pending: pending)
      if let sentence = pending?.sentence {
        let advice = pending?.status == .queued ? "" : "  r try again  x drop"
        add(wrapped: "\(sentence)\(advice)", pending?.mark.style ?? .dim, indent: 2)
      }
    }
  }

  private mutating func add(
    _ objective: ObjectiveRecord, isNext: Bool, pending: PendingCheckIn?
  ) {
    let mark: Span =
      if let pending, !objective.isDone {
        Span(pending.mark.glyph, pending.mark.style)
      } else if objective.isDone {
        Span("✓", .success)
      } else {
        isNext ? Span("▸", .accent) : Span("·", .dim)
      }
    var facts: [String] = []
    if let progress = ActivityText.progress(objective) { facts.append(progress) }
    if let pending, !objective.isDone, pending.status == .sending {
      facts.append("on its way")
    } else if pending?.status == .queued, !objective.isDone {
      facts.append("queued")
    } else if objective.isDone || objective.count > 1, objective.lastAt != nil {
      facts.append(
        MissionFormatter.name(of: objective.lastBy, in: mission, me: viewModel.me))
      if let at = objective.lastAt {
        facts.append(MissionFormatter.pastMoment(at, at: viewModel.now))
      }
    }
    if !objective.isDone, let place = mission.record.place(of: objective)?.centre,
      let way = MissionFormatter.way(from: viewModel.position, to: place)
    {
      facts.append(way)
    }
    let lead = isPlain ? objective.isDone ? "done: " : isNext ? "next: " : "to do: " : " "
    rows.append(
      MissionDetailRow(
        id: .objective(objective.id), mark: isPlain ? nil : mark,
        spans: [Span(lead), Span(objective.title, isNext ? .normal.bold : .normal)],
        note: facts.isEmpty ? [] : [Span(facts.joined(separator: " "), .dim)]))
  }

  // MARK: People

  private mutating func addPeople() {
    let names = mission.members.prefix(Self.peopleLimit).map { member -> [Span] in
      let isMe = member.userID == viewModel.me
      let name = isMe ? "you" : member.username
      let invited = isMe ? "you are invited" : "\(name) invited"
      let isOnline = isMe || viewModel.onlineIDs.contains(member.userID)
      if isPlain {
        let word = isOnline && !isMe ? " online" : ""
        return [Span("\(member.state == .invited ? invited : name + word),")]
      }
      if member.state == .invited { return [Span("? ", .dim), Span(invited, .dim)] }
      return [isOnline ? Span("● ", .success) : Span("○ ", .dim), Span(name)]
    }
    let hidden =
      max(
        0,
        mission.memberCount
          - mission.members.prefix(Self.peopleLimit).count {
            $0.state == .joined
          })
    let all = Array(names) + (hidden > 0 ? [[Span("+\(hidden)", .dim)]] : [])
    guard !all.isEmpty else { return }
    var line: [Span] = []
    var used = 0
    for name in all {
      let cells = name.reduce(0) { $0 + $1.text.cellWidth }
      if used > 0, used + 2 + cells > width {
        add(line)
        (line, used) = ([], 0)
      }
      if used > 0 {
        line.append(Span("  "))
        used += 2
      }
      line += name
      used += cells
    }
    add(line)
  }

  private static let peopleLimit = 30

  // MARK: Parts

  var count: Int { rows.count }

  mutating func addGap() { add([]) }

  mutating func add(_ row: MissionDetailRow) { rows.append(row) }

  private mutating func add(_ spans: [Span]) {
    rows.append(MissionDetailRow(id: .text(rows.count), spans: spans))
  }

  mutating func add(wrapped text: String, _ style: Style = .normal, indent: Int = 0) {
    let blank = String(repeating: " ", count: indent)
    for line in text.wrapped(toCells: max(1, width - indent)) {
      add([Span(blank), Span(line, style)])
    }
  }
}
