import FoundationEssentials
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import TerminalKit

/// What became of a mission: who did what, when and how far, for its members to show to others.
///
/// It holds what every member sees in the mission itself and no position of a person; a distance is
/// between the places of two objectives. Everybody is called by their username.
public struct MissionCard: Hashable, Sendable, Encodable {
  /// An objective, and who checked in there last.
  public struct Objective: Hashable, Sendable, Encodable {
    public var title: String
    public var isDone: Bool
    public var checkIns: Int
    public var count: Int
    /// A username; nil where nobody checked in, or somebody who is not known to the reader.
    public var by: String?
    public var at: WireTime?
    /// From the place of the objective that was done before, metres; nil for the first one, and
    /// where no way is to be gone.
    public var metres: Double?

    enum CodingKeys: String, CodingKey {
      case title, count, by, at, metres
      case isDone = "is_done"
      case checkIns = "check_ins"
    }
  }

  public let title: String
  public let phase: String
  public let startedAt: WireTime
  /// When it ended; nil while it is open.
  public let endedAt: WireTime?
  /// The city that it is in or near; nil where none is.
  public let place: String?
  /// Those that are done in the order of the last check-ins, then the others.
  public let objectives: [Objective]
  /// The way from one done objective to the next, metres.
  public let metres: Double
  /// Usernames of the members who are known to the reader.
  public let members: [String]
  /// How many members there are besides.
  public let otherMembers: Int

  enum CodingKeys: String, CodingKey {
    case title, phase, place, objectives, metres, members
    case startedAt = "starts_at"
    case endedAt = "ended_at"
    case otherMembers = "other_members"
  }

  /// - Parameters:
  ///   - place: The city that the mission is in or near.
  ///   - now: Says whether it is over.
  public init(_ mission: Mission, place: String?, now: WireTime) {
    let record = mission.record
    let phase = mission.phase(at: now)
    title = record.title.cleanedForDisplay
    self.phase = phase.rawValue
    startedAt = record.startsAt
    endedAt = phase.isOpen ? nil : record.closedAt ?? record.endsAt
    self.place = place?.cleanedForDisplay
    var rows: [Objective] = []
    var former: Coordinate?
    let done = record.objectives.filter(\.isDone).enumerated().sorted {
      ($0.element.lastAt ?? $1.element.lastAt ?? now, $0.offset)
        < ($1.element.lastAt ?? $0.element.lastAt ?? now, $1.offset)
    }
    for objective in done.map(\.element) + record.objectives.filter({ !$0.isDone }) {
      let centre = objective.isDone ? record.place(of: objective)?.centre : nil
      let metres = former.flatMap { former in centre.map { former.distance(to: $0) } }
      former = centre ?? former
      let name = objective.lastBy.flatMap { last in
        record.members.first { $0.userID == last }?.username
      }
      rows.append(
        Objective(
          title: objective.title.cleanedForDisplay, isDone: objective.isDone,
          checkIns: min(objective.checkIns, objective.count), count: objective.count,
          by: name?.cleanedForDisplay, at: objective.lastAt,
          metres: metres.flatMap { $0 < Self.leastWay ? nil : $0.rounded() }))
    }
    objectives = rows
    metres = rows.reduce(0) { $0 + ($1.metres ?? 0) }
    members = mission.joined.map { $0.username.cleanedForDisplay }
    otherMembers = max(0, record.memberCount - members.count)
  }

  /// A way that is shorter is none, metres.
  private static let leastWay = 10.0
}

// MARK: - Words

extension MissionCard {
  /// The texts of one objective, a column each.
  package struct Row: Hashable {
    package var mark: String
    package var title: String
    /// `@ana`, with the number of check-ins where several are asked for: `9/20 @ana`.
    package var who: String
    package var when: String
    /// `830 m`; empty where no way is to be gone.
    package var way: String
  }

  package func rows(in timeZone: LocalTimeZone) -> [Row] {
    let days = Set(objectives.compactMap(\.at).map { Self.day($0, timeZone) })
    return objectives.map { objective in
      let progress = objective.count > 1 ? "\(objective.checkIns)/\(objective.count) " : ""
      let who = objective.at == nil ? "" : objective.by.map { "@\($0)" } ?? "somebody"
      return Row(
        mark: objective.isDone ? "✓" : "·", title: objective.title, who: progress + who,
        when: objective.at.map { time in
          let clock = Self.clock(time, timeZone)
          guard days.count > 1 else { return clock }
          return Self.day(time, timeZone).split(separator: " ").prefix(2).joined(separator: " ")
            + " \(clock)"
        } ?? "",
        way: objective.metres.map(GeoText.distance) ?? "")
    }
  }

  /// `Completed 23 Nov 2026, 14:02 · after 1 h 40 min · Lisbon`.
  package func summary(in timeZone: LocalTimeZone) -> String {
    var parts = [phase == MissionPhase.active.rawValue ? "In progress" : phase.capitalized]
    if let endedAt {
      parts[0] += " \(Self.day(endedAt, timeZone)), \(Self.clock(endedAt, timeZone))"
      parts.append("after \(Self.duration(endedAt.since(startedAt)))")
    }
    if let place { parts.append(place) }
    return parts.joined(separator: " · ")
  }

  /// `1.2 km from the first to the last`; nil where no way is to be gone.
  var wayText: String? {
    metres > 0 ? "\(GeoText.distance(metres)) from the first to the last" : nil
  }

  /// `With @ana, @ben and 2 more`; nil without members.
  ///
  /// - Parameter limit: The names that are written; the others are counted.
  func people(limit: Int) -> String? {
    let names = members.prefix(limit).map { "@\($0)" }
    let rest = members.count - names.count + otherMembers
    guard !names.isEmpty else { return rest > 0 ? rest.counted("person", "people") : nil }
    return "With \(names.joined(separator: ", "))\(rest > 0 ? " and \(rest) more" : "")"
  }

  /// The card as lines of text, none wider than so many cells.
  ///
  /// - Parameter width: At least 40.
  public func lines(width: Int = 72, timeZone: LocalTimeZone = .current) -> [String] {
    let rows = rows(in: timeZone)
    func widest(_ path: KeyPath<Row, String>) -> Int {
      rows.map { $0[keyPath: path].cellWidth }.max() ?? 0
    }
    let (who, when, way) = (min(24, widest(\.who)), widest(\.when), widest(\.way))
    let columns = [who, when, way].filter { $0 > 0 }.reduce(0) { $0 + 2 + $1 }
    let room = max(8, min(widest(\.title), width - 2 - columns))
    var lines = title.wrapped(toCells: width) + summary(in: timeZone).wrapped(toCells: width)
    if !rows.isEmpty { lines.append("") }
    for row in rows {
      var line = "\(row.mark) \(row.title.padded(toCells: room))"
      if who > 0 { line += "  \(row.who.padded(toCells: who))" }
      if when > 0 { line += "  \(row.when.padded(toCells: when, alignment: .trailing))" }
      if way > 0 { line += "  \(row.way.padded(toCells: way, alignment: .trailing))" }
      lines.append(line.trimmedAtEnd)
    }
    let ends = [wayText, people(limit: 12)].compactMap(\.self)
    if !ends.isEmpty { lines.append("") }
    return lines + ends.flatMap { "\($0).".wrapped(toCells: width) }
  }

  /// The card as text, for a clipboard or a pipe.
  public func text(timeZone: LocalTimeZone = .current) -> String {
    lines(timeZone: timeZone).joined(separator: "\n")
  }

  private static func local(_ time: WireTime, _ timeZone: LocalTimeZone) -> WireTime {
    time.advanced(by: .seconds(timeZone.secondsFromUTC(at: time)))
  }

  private static func day(_ time: WireTime, _ timeZone: LocalTimeZone) -> String {
    Age.day(local(time, timeZone))
  }

  private static func clock(_ time: WireTime, _ timeZone: LocalTimeZone) -> String {
    LocalMinute.text(LocalMinute(time, in: timeZone).minute)
  }

  /// `45 min`, `1 h 40 min`, `3 days`.
  private static func duration(_ duration: Duration) -> String {
    let minutes = max(1, duration.components.seconds / 60)
    return minutes < 48 * 60 ? minutes.minutesText : (minutes / (24 * 60)).counted("day")
  }
}

extension String {
  fileprivate var trimmedAtEnd: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}

// MARK: - SVG

extension MissionCard {
  /// The card as an SVG picture of 640 by 480: no script, no font or file from elsewhere; the same
  /// card makes the same text.
  public func svg(timeZone: LocalTimeZone = .current) -> String {
    SVGCard(self, timeZone).text
  }
}

/// Draws a card.
private struct SVGCard {
  private static let size = (width: 640, height: 480)
  private static let margin = 32
  /// How many rows there is room for.
  private static let rowLimit = 11
  private static let rowHeight = 25

  private let card: MissionCard
  private let timeZone: LocalTimeZone
  private var elements: [String] = []

  init(_ card: MissionCard, _ timeZone: LocalTimeZone) {
    self.card = card
    self.timeZone = timeZone
    draw()
  }

  var text: String {
    let (width, height) = Self.size
    return
      ([
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\""
          + " width=\"\(width)\" height=\"\(height)\" role=\"img\">",
        "<title>\(Self.escaped(card.title))</title>",
        "<rect width=\"\(width)\" height=\"\(height)\" rx=\"12\" fill=\"#14171c\"/>",
        "<g font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\">",
      ] + elements + ["</g>", "</svg>", ""]).joined(separator: "\n")
  }

  private mutating func draw() {
    let right = Self.size.width - Self.margin
    add(card.title, cells: 34, at: Self.margin, 62, size: 28, fill: "#ffffff", isBold: true)
    add(card.summary(in: timeZone), cells: 64, at: Self.margin, 90, size: 15, fill: "#3dd6d0")
    elements.append(
      "<path d=\"M\(Self.margin) 110H\(right)\" stroke=\"#3a3f47\" stroke-width=\"1\"/>")
    let rows = card.rows(in: timeZone)
    let shown = rows.count > Self.rowLimit ? Self.rowLimit - 1 : rows.count
    var y = 142
    for row in rows.prefix(shown) {
      add(row.mark, cells: 1, at: Self.margin, y, fill: row.mark == "✓" ? "#2ecc71" : "#8a919c")
      add(row.title, cells: 24, at: Self.margin + 20, y, fill: "#ffffff")
      add(row.who, cells: 18, at: 264, y, fill: "#3dd6d0")
      add(row.when, cells: 13, at: 530, y, fill: "#c3c9d2", anchor: "end")
      add(row.way, cells: 9, at: right, y, fill: "#8a919c", anchor: "end")
      y += Self.rowHeight
    }
    if rows.count > shown {
      add("and \(rows.count - shown) more", cells: 27, at: Self.margin + 20, y, fill: "#8a919c")
    }
    let bottom = Self.size.height - Self.margin
    if let way = card.wayText {
      add(way, cells: 60, at: Self.margin, bottom - 24, fill: "#c3c9d2")
    }
    if let people = card.people(limit: 4) {
      add(people, cells: 58, at: Self.margin, bottom, fill: "#c3c9d2")
    }
    add("RALLY", cells: 5, at: right, bottom, fill: "#3dd6d0", anchor: "end", isBold: true)
  }

  private mutating func add(
    _ text: String, cells: Int, at x: Int, _ y: Int, size: Int = 14, fill: String,
    anchor: String? = nil, isBold: Bool = false
  ) {
    guard !text.isEmpty else { return }
    elements.append(
      "<text x=\"\(x)\" y=\"\(y)\" font-size=\"\(size)\" fill=\"\(fill)\""
        + (anchor.map { " text-anchor=\"\($0)\"" } ?? "")
        + (isBold ? " font-weight=\"bold\"" : "")
        + ">\(Self.escaped(text.truncated(toCells: cells)))</text>")
  }

  /// The text as character data: escaped, without scalars that XML does not allow.
  private static func escaped(_ text: String) -> String {
    let allowed = text.cleanedForDisplay.unicodeScalars.filter {
      !["\u{FFFE}", "\u{FFFF}"].contains($0)
    }
    return String(String.UnicodeScalarView(allowed)).escapedForMarkup
  }
}
