import FoundationEssentials
import RallyDomain
import RallyMap
import RallySystem
import RallyWire
import TerminalKit

/// A person in a list, with how we stand to each other now.
struct PersonEntry: Hashable, Identifiable {
  var profile: CommunityProfile
  var status: FriendshipStatus
  /// When the request was made; nil for friends and strangers.
  var askedAt: WireTime?
  /// Something of this person is on its way to the server.
  var isInFlight: Bool
  /// When the friend asked where I am; nil unless that waits for an answer.
  var asksSince: WireTime?
  /// When I asked the friend where they are; nil if I did not lately.
  var locationAskedAt: WireTime?

  var id: UUID { profile.id }
}

extension CommunityProfile {
  /// Whether a friend's row says how long ago they were there.
  var showsLastSeen: Bool { !isOnline && lastSeen != nil }
}

/// Glyph and colour of a person's status; the glyph is unambiguous without colour.
struct PersonMark {
  var glyph: String
  var style: Style

  init(_ entry: PersonEntry) {
    if entry.isInFlight {
      (glyph, style) = ("~", .warning)
      return
    }
    switch entry.status {
    case .friends where entry.asksSince != nil: (glyph, style) = ("?", .accent.bold)
    case .incoming: (glyph, style) = ("?", .accent.bold)
    case .outgoing: (glyph, style) = (">", .dim)
    case .blocked: (glyph, style) = ("x", .danger)
    case .friends where entry.profile.isOnline: (glyph, style) = ("●", .success)
    case .friends: (glyph, style) = ("○", .dim)
    case .none: (glyph, style) = ("·", .dim)
    }
  }
}

extension PersonEntry {
  /// Whether `note` or `PeopleRow.sentence` says how long ago something was.
  var showsAge: Bool {
    if asksSince != nil || locationAskedAt != nil { return true }
    return switch status {
    case .incoming, .outgoing: askedAt != nil
    case .friends: profile.showsLastSeen
    case .blocked, .none: false
    }
  }

  /// Who of us asked the other where they are, for a narrow pane: `you asked 2 minutes ago`.
  func shortQuestions(at now: WireTime) -> [String] {
    [
      asksSince.map { _ in "asks where you are" },
      locationAskedAt.map { "you asked \(Age.sentenceByMinute($0, at: now))" },
    ].compactMap(\.self)
  }

  /// The same for a screen reader: `asks where you are, 2 minutes ago`.
  func questions(at now: WireTime) -> [String] {
    [
      asksSince.map { "asks where you are, \(Age.sentenceByMinute($0, at: now))" },
      locationAskedAt.map { "you asked where they are, \(Age.sentenceByMinute($0, at: now))" },
    ].compactMap(\.self)
  }

  /// The last column: when somebody asked, or was seen.
  func note(at now: WireTime) -> String {
    if isInFlight { return "sending" }
    if let asksSince { return Age.shortByMinute(asksSince, at: now) }
    switch status {
    case .incoming, .outgoing: return askedAt.map { Age.shortByMinute($0, at: now) } ?? ""
    case .friends where profile.isOnline: return "online"
    case .friends: return profile.lastSeen.map { Age.shortByMinute($0, at: now) } ?? ""
    case .blocked: return "blocked"
    case .none: return ""
    }
  }
}

extension SocialStore {
  /// People of a list with how they stand now, whatever the list said when it was fetched.
  func entries(for people: [CommunityProfile]) -> [PersonEntry] {
    guard !people.isEmpty else { return [] }
    let ids = Set(people.map(\.id))
    func known<Item: Identifiable>(_ items: [Item]) -> [UUID: Item] where Item.ID == UUID {
      Dictionary(
        items.lazy.filter { ids.contains($0.id) }.map { ($0.id, $0) },
        uniquingKeysWith: { first, _ in first })
    }
    let friends = known(friends)
    let incoming = known(incomingRequests)
    let outgoing = known(outgoingRequests)
    let asks = locationAsks
    return people.map { profile in
      let id = profile.id
      let status: FriendshipStatus =
        if friends[id] != nil {
          .friends
        } else if incoming[id] != nil {
          .incoming
        } else if outgoing[id] != nil {
          .outgoing
        } else if profile.friendshipStatus == .blocked {
          .blocked
        } else {
          .none
        }
      return PersonEntry(
        profile: friends[id] ?? profile, status: status,
        askedAt: (incoming[id] ?? outgoing[id])?.createdAt, isInFlight: isInFlight(id),
        asksSince: asks.incoming[id], locationAskedAt: asks.outgoing[id])
    }
  }

  /// Incoming friend requests, then outgoing ones.
  var requestEntries: [PersonEntry] {
    func entries(_ items: [FriendRequestItem], _ status: FriendshipStatus) -> [PersonEntry] {
      items.map {
        PersonEntry(
          profile: $0.profile, status: status, askedAt: $0.createdAt,
          isInFlight: isInFlight($0.id))
      }
    }
    return entries(incomingRequests, .incoming) + entries(outgoingRequests, .outgoing)
  }
}

/// A heading or a person.
enum PeopleRow: Hashable, Identifiable {
  case heading(String)
  case person(PersonEntry)

  enum ID: Hashable {
    case heading(String)
    case person(UUID)
  }

  var id: ID {
    switch self {
    case .heading(let text): .heading(text)
    case .person(let entry): .person(entry.id)
    }
  }

  var entry: PersonEntry? { if case .person(let entry) = self { entry } else { nil } }
}

extension PeopleRow {
  /// A whole row in words, for a screen reader: `Ana Pereira @ana, wants to be friends, 2h ago`.
  ///
  /// - Parameter facts: Of a friend.
  func sentence(
    facts: PersonFacts = PersonFacts(), at now: WireTime, names: PlaceNames = .shared,
    clocks: PlaceClocks = .shared
  ) -> String {
    switch self {
    case .heading(let text): return text
    case .person(let entry):
      let asked = entry.askedAt.map { Age.sentenceByMinute($0, at: now) }
      let status: [String?] =
        switch entry.status {
        case .incoming: [FriendshipStatus.asksForFriendship, asked]
        case .outgoing: ["you asked", asked]
        case .blocked: ["blocked"]
        case .none: ["not a friend"]
        case .friends where entry.profile.isOnline: ["online"]
        case .friends:
          [entry.profile.lastSeen.map { "seen \(Age.sentenceByMinute($0, at: now))" } ?? "offline"]
        }
      let name = "\(entry.profile.displayName) \(entry.profile.handle)"
      let questions = entry.questions(at: now).map(Optional.some)
      return
        ([name] + questions + status + facts.words(at: now, names: names, clocks: clocks) + [
          entry.isInFlight ? "sending" : nil
        ])
        .compactMap(\.self).joined(separator: ", ")
    }
  }
}

/// The rows of a list of people, each made when it is asked for: a list of a hundred thousand costs
/// what its two dozen rows on the screen cost.
struct PeopleRows: @MainActor RandomAccessCollection {
  /// People under a heading, or under none.
  struct Section {
    /// `Online`; nil for no heading.
    var title: String?
    var count: Int
    var id: (Int) -> UUID
    var entry: (Int) -> PersonEntry
    /// The position of a person among them.
    var position: (UUID) -> Int?
    /// Whether a row among them may say how long ago something was.
    var showsAge = false
  }

  private var sections: [Section] = []
  /// The row with which each section begins, its heading where it has one; and the end.
  private var starts: [Int] = [0]

  init() {}

  /// Sections without anybody are left out.
  init(_ sections: [Section]) {
    for section in sections where section.count > 0 {
      self.sections.append(section)
      starts.append(endIndex + section.count + (section.title == nil ? 0 : 1))
    }
  }

  /// A list without headings.
  init(_ entries: [PersonEntry]) {
    self.init([Section(nil, entries)])
  }

  /// Whether a row may say how long ago something was, answered without making the rows.
  var showsAge: Bool { sections.contains(where: \.showsAge) }

  var startIndex: Int { 0 }
  var endIndex: Int { starts[starts.count - 1] }

  subscript(position: Int) -> PeopleRow {
    let (section, number) = place(of: position)
    guard let number else { return .heading("\(section.title ?? "") (\(section.count))") }
    return .person(section.entry(number))
  }

  /// The row's id, which costs less than the row.
  func id(at position: Int) -> PeopleRow.ID {
    let (section, number) = place(of: position)
    guard let number else { return .heading(section.title ?? "") }
    return .person(section.id(number))
  }

  /// The index of a row; nil if it is not there.
  func position(of id: PeopleRow.ID) -> Int? {
    for (index, section) in sections.enumerated() {
      switch id {
      case .heading(let title):
        if section.title == title { return starts[index] }
      case .person(let person):
        if let number = section.position(person) {
          return starts[index] + number + (section.title == nil ? 0 : 1)
        }
      }
    }
    return nil
  }

  /// The person of the row with this id.
  func entry(of id: PeopleRow.ID?) -> PersonEntry? {
    guard let id, case .person(let person) = id else { return nil }
    for section in sections {
      if let number = section.position(person) { return section.entry(number) }
    }
    return nil
  }

  /// The person whom a list selects: the first one until it has selected anybody, for a key that comes
  /// right after the list.
  func selected(_ id: PeopleRow.ID?) -> PersonEntry? {
    id == nil ? first { $0.entry != nil }?.entry : entry(of: id)
  }

  /// The section of a row, and its number there; nil for the heading.
  private func place(of position: Int) -> (section: Section, number: Int?) {
    var index = sections.count - 1
    while index > 0, starts[index] > position { index -= 1 }
    let section = sections[index]
    let number = position - starts[index] - (section.title == nil ? 0 : 1)
    return (section, number < 0 ? nil : number)
  }
}

extension PeopleRows.Section {
  /// A few people, whose rows are made already.
  init(_ title: String?, _ entries: [PersonEntry]) {
    self.init(
      title: title, count: entries.count, id: { entries[$0].id }, entry: { entries[$0] },
      position: { id in entries.firstIndex { $0.id == id } },
      showsAge: entries.contains(where: \.showsAge))
  }
}

/// The columns of a row, in cells, for the width that the list has. Without room for all of them the
/// time left goes first, then the local time, then the place, then what is shown to each other, then the way.
struct PeopleColumns: Hashable {
  var name: Int
  var handle: Int
  var note = 8
  /// 0 for none, as the four below.
  var way = 0
  var exchange = 0
  var place = 0
  var clock = 0
  /// How long I show them something yet, beside `exchange`.
  var left = 0

  /// Cells before the name: the sign of the selection, that of a mark, the glyph, a blank.
  static let lead = 4
  /// Cells that name and handle need before another column may have some.
  private static let leastNames = 20
  /// The same for the time left, which few rows have.
  private static let namesBesideTimeLeft = 28
  private static let leastPlace = 10
  private static let mostPlace = 22

  /// - Parameter hasFacts: Whether the rows are of friends, with where they are.
  init(width: Int, hasFacts: Bool = false) {
    if !hasFacts, width >= 52 { note = 12 }
    var room = max(0, width - Self.lead - note - 2)
    func take(_ cells: Int) -> Int {
      guard hasFacts, room - cells - 1 >= Self.leastNames else { return 0 }
      room -= cells + 1
      return cells
    }
    way = take(12)
    if way > 0 { exchange = take(7) }
    if exchange > 0 { place = take(Self.leastPlace) }
    if place > 0 {
      clock = take(7)
      if clock > 0, room >= Self.namesBesideTimeLeft { left = take(3) }
      let more = min(max(0, (room - Self.leastNames) / 3), Self.mostPlace - place)
      place += more
      room -= more
    }
    handle = min(room * 2 / 5, 25)
    name = room - handle
  }

  /// One line that is exactly as wide as the columns.
  func line(
    for row: PeopleRow, isSelected: Bool, isMarked: Bool = false,
    facts: PersonFacts = PersonFacts(), glyphs: GlyphSet = .braille, at now: WireTime,
    names: PlaceNames = .shared, clocks: PlaceClocks = .shared
  ) -> Line {
    switch row {
    case .heading(let text): return Line(Span(" \(text)", .title))
    case .person(let entry):
      let mark = PersonMark(entry)
      let spans = [
        Span(isSelected ? "▸" : " "), isMarked ? Span("✓", .accent.bold) : Span(" "),
        Span(mark.glyph, mark.style), Span(" "),
        Span(
          entry.profile.displayName.truncated(toCells: name).padded(toCells: name),
          entry.status == .incoming || entry.asksSince != nil ? .normal.bold : .normal),
        Span(" "),
        Span(entry.profile.handle.truncated(toCells: handle).padded(toCells: handle), .dim),
        Span(" "),
      ]
      let note = Span(entry.note(at: now).padded(toCells: self.note, alignment: .trailing), .dim)
      return Line(spans + self.facts(facts, glyphs, names, clocks, at: now) + [note])
    }
  }

  private func facts(
    _ facts: PersonFacts, _ glyphs: GlyphSet, _ names: PlaceNames, _ clocks: PlaceClocks,
    at now: WireTime
  ) -> [Span] {
    var spans: [Span] = []
    func add(_ text: String, _ cells: Int, _ style: Style, trailing: Bool = false) {
      guard cells > 0 else { return }
      spans += [
        Span(
          text.truncated(toCells: cells)
            .padded(toCells: cells, alignment: trailing ? .trailing : .leading), style), Span(" "),
      ]
    }
    let age = facts.position.map { $0.age(at: now) }
    add(facts.position.flatMap { names.name(at: $0.coordinate) } ?? "", place, .normal)
    add(
      facts.position.flatMap { clocks.hour(at: $0, now: now)?.text(glyphs) } ?? "",
      clock, .dim)
    add(facts.way(glyphs), way, age == .old ? .dim : .normal, trailing: true)
    add(facts.exchange, exchange, .dim)
    add(facts.timeLeft(at: now), left, .dim)
    return spans
  }
}
