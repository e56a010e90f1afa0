import RallyDomain
import RallyMap
import RallyWire
import TerminalKit

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
  @MainActor
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

  @MainActor
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
