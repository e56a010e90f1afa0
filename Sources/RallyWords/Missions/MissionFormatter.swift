import FoundationEssentials
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import TerminalKit

/// What is said of a mission, in the words of the list, the detail and the map.
public enum MissionFormatter {
  // MARK: Time

  /// `1h40 left` until it ends, `in 3h` until it starts, `no end` without an end, else how it ended.
  package static func timeLeft(_ mission: Mission, at now: WireTime) -> String {
    switch mission.phase(at: now) {
    case .upcoming: "in \(ActivityText.left(mission.startsAt.since(now)))"
    case .active: mission.endsAt.map { "\(ActivityText.left($0.since(now))) left" } ?? "no end"
    case .completed: "completed"
    case .cancelled: "cancelled"
    case .ended: "ended"
    }
  }

  /// `ends in 1h40`, as the map and a screen reader have it.
  public static func timeSentence(_ mission: Mission, at now: WireTime) -> String {
    switch mission.phase(at: now) {
    case .upcoming: "starts in \(ActivityText.left(mission.startsAt.since(now)))"
    case .active: mission.endsAt.map { "ends in \(ActivityText.left($0.since(now)))" } ?? "no end"
    case .completed: "completed"
    case .cancelled: "cancelled"
    case .ended: "ended"
    }
  }

  /// `19:40` today, else with the day: `3 Mar 19:40`.
  package static func moment(_ time: WireTime, at now: WireTime) -> String {
    let clock = LocalTime.clock(time)
    let distance = abs(time.since(now).components.seconds)
    if distance < 18 * 3600 { return clock }
    let day = Age.day(time).split(separator: " ")
    return day.prefix(2).joined(separator: " ") + " \(clock)"
  }

  /// `14:21` within a day, else the day: for columns of past things.
  package static func pastMoment(_ time: WireTime, at now: WireTime) -> String {
    now.since(time) < .seconds(18 * 3600)
      ? LocalTime.clock(time) : Age.day(time).split(separator: " ").prefix(2).joined(separator: " ")
  }

  // MARK: Status

  /// `ends 19:40 · 4 of 6 places · friends see it`.
  package static func state(of mission: Mission, me: UUID?, at now: WireTime) -> [String] {
    let time: String =
      switch mission.phase(at: now) {
      case .upcoming: "starts \(moment(mission.startsAt, at: now))"
      case .active: mission.endsAt.map { "ends \(moment($0, at: now))" } ?? "no end"
      case .completed:
        mission.closedAt.map { "completed \(moment($0, at: now))" } ?? "completed"
      case .cancelled:
        mission.closedAt.map { "cancelled \(moment($0, at: now))" } ?? "cancelled"
      case .ended: mission.endsAt.map { "ended \(moment($0, at: now))" } ?? "ended"
      }
    let who: String =
      switch mission.visibility {
      case .private: "only you see it"
      case .invited: "by invitation"
      case .friends:
        mission.isCreator(me) ? "your friends see it" : "friends see it"
      }
    let live = mission.isLive == true && mission.phase(at: now).isOpen ? "live" : nil
    return [time, repeats(mission, at: now), ActivityText.places(mission), who, live]
      .compactMap(\.self)
  }

  /// `every Tuesday 18:30`, and once it is over when the next one is; nil for once.
  public static func repeats(_ mission: Mission, at now: WireTime) -> String? {
    guard let series = mission.series else { return nil }
    let sentence = RepeatSentence.text(series)
    guard !mission.phase(at: now).isOpen, let next = series.nextStartsAt else { return sentence }
    return "\(sentence), next \(moment(next, at: now))"
  }

  // MARK: Place

  /// `90 m E`; nil without a position.
  public static func way(from position: Coordinate?, to place: Coordinate) -> String? {
    position.map { ActivityText.distance(from: $0, to: place) }
  }

  /// `90 m E`, with the city where that is far away; the city alone without a position.
  package static func whereabouts(
    of place: Coordinate, from position: Coordinate?, city: String?
  ) -> [String] {
    guard let position, let way = way(from: position, to: place) else {
      return [city ?? place.description]
    }
    return position.distance(to: place) < 20_000 ? [way] : [city, way].compactMap(\.self)
  }

  /// `within 500 m`, `within 5 km`.
  package static func within(_ metres: Double) -> String {
    "within " + GeoText.wholeDistance(metres)
  }

  /// `, 2.3 km NW`, to follow a title.
  package static func distance(of mission: Mission, from position: Coordinate?) -> String {
    way(from: position, to: mission.centre).map { ", \($0)" } ?? ""
  }

  // MARK: People

  /// The name of somebody in it: `you`, or the username; `somebody` for who does not exist for me.
  package static func name(of userID: UUID?, in mission: Mission, me: UUID?) -> String {
    guard let userID else { return "somebody" }
    if userID == me { return "you" }
    return mission.members.first { $0.userID == userID }?.username ?? "somebody"
  }

  /// `ana rui you`, those who do not fit as `+2`.
  package static func people(in mission: Mission, me: UUID?, limit: Int = 3) -> String {
    let joined = mission.joined
    // Whoever looks for their mission looks for themselves and a few others.
    let others = joined.filter { $0.userID != me }.map(\.username)
    let isIn = joined.contains { $0.userID == me }
    let shown = Array(others.prefix(isIn ? limit - 1 : limit)) + (isIn ? ["you"] : [])
    let rest = mission.memberCount - shown.count
    return (shown + (rest > 0 ? ["+\(rest)"] : [])).joined(separator: " ")
  }

  /// `ana invited you` where nobody else can have done it, else `you are invited`.
  package static func invitation(to mission: Mission, me: UUID?) -> String {
    inviter(of: mission, me: me).map { "\($0) invited you" } ?? "you are invited"
  }

  /// The only one who can have invited me.
  package static func inviter(of mission: Mission, me: UUID?) -> String? {
    let others = mission.joined.filter { $0.userID != me }
    return mission.memberCount == 1 && others.count == 1 ? others[0].username : nil
  }

  // MARK: Activity

  /// Who and what, as two runs: `ana` and ` found Stone cat`; who is empty where the sentence begins
  /// otherwise.
  public static func activity(_ line: MissionActivityRecord, me: UUID?) -> (
    who: String, what: String
  ) {
    let sentence = ActivityText.sentence(line, for: me)
    let who = ActivityText.actor(of: line, for: me) ?? ""
    guard sentence.hasPrefix(who) else { return ("", sentence) }
    return (who, String(sentence.dropFirst(who.count)))
  }

  /// One sentence with all that a row shows, for a reader of lists.
  ///
  /// - Parameters:
  ///   - unread: How many lines of others I have not seen; nil for none.
  ///   - position: Mine.
  package static func sentence(
    on mission: Mission, me: UUID?, unread: Int?, from position: Coordinate?, at now: WireTime
  ) -> String {
    let progress = mission.record.progress
    var parts = [mission.title]
    switch mission.myState {
    case .invited: parts.append(invitation(to: mission, me: me))
    case .left: parts.append("you left")
    case .joined: break
    case nil: parts.append("you are not a member")
    }
    if let unread { parts.append("\(unread) new") }
    if progress.of > 0 { parts.append("\(progress.done) of \(progress.of) done") }
    parts.append(timeSentence(mission, at: now))
    let people = people(in: mission, me: me)
    if !people.isEmpty { parts.append("with \(people)") }
    if let way = way(from: position, to: mission.centre) { parts.append(way) }
    return parts.joined(separator: ", ")
  }
}

/// Who comes to a mission, a line for each.
package enum ComingFormatter {
  /// `→ bob 1.2 km · 14 min at this pace`, `✓ bob arrived 14:02`.
  ///
  /// - Parameters:
  ///   - me: Who is called `you`.
  ///   - width: Cells.
  @MainActor
  package static func line(_ person: Coming, me: UUID?, width: Int, at now: WireTime) -> [Span] {
    let text = "\(name(of: person, me)) \(words(of: person, at: now).joined(separator: " · "))"
    return [mark(of: person), Span(text.truncated(toCells: max(1, width - 2)))]
  }

  /// The same on as many lines as a narrow pane needs.
  @MainActor
  package static func lines(_ person: Coming, me: UUID?, width: Int, at now: WireTime) -> [Line] {
    let whole = line(person, me: me, width: .max, at: now)
    let words = words(of: person, at: now)
    guard words.count > 1, whole.reduce(0, { $0 + $1.text.cellWidth }) > width else {
      return [Line(line(person, me: me, width: width, at: now))]
    }
    let head = "\(name(of: person, me)) \(words[0])".truncated(toCells: max(1, width - 2))
    return [Line([mark(of: person), Span(head)])]
      + words.dropFirst().map { Line(Span("  \($0)".truncated(toCells: width), .dim)) }
  }

  /// `bob on the way: 1.2 km, 14 min at this pace`, for a reader of lists.
  @MainActor
  package static func sentence(_ person: Coming, me: UUID?, at now: WireTime) -> String {
    let lead = person.record.arrivedAt == nil && person.approach != nil ? "on the way: " : ""
    return "\(name(of: person, me)) \(lead)"
      + words(of: person, at: now).joined(separator: ", ")
  }

  /// Where nobody comes.
  package static func nobody(to mission: Mission) -> String {
    "Nobody shows you that they are on the way to \(mission.title)."
  }

  private static func name(of person: Coming, _ me: UUID?) -> String {
    person.id == me ? "you" : person.record.username
  }

  @MainActor private static func words(of person: Coming, at now: WireTime) -> [String] {
    person.words { MissionFormatter.pastMoment($0, at: now) }
  }

  private static func mark(of person: Coming) -> Span {
    person.record.arrivedAt != nil ? Span("✓ ", .success) : Span("→ ", .accent)
  }
}

/// How a mission repeats, in words.
package enum RepeatSentence {
  /// `every Tuesday 18:30`, `every two weeks on Tuesday 18:30`, `monthly on the 31st 18:30`, with the
  /// zone where it is not the reader's, and the end of the series.
  package static func text(
    _ series: MissionSeries, in timeZone: LocalTimeZone = .current
  ) -> String {
    let local = LocalMinute(series.startsAt, in: series.zone)
    let clock = series.anchorTime.description.prefix(5)
    let rule =
      switch series.repeats {
      case .daily: "every day \(clock)"
      case .weekly: "every \(WhenText.weekdays[local.day]) \(clock)"
      case .fortnightly: "every two weeks on \(WhenText.weekdays[local.day]) \(clock)"
      case .monthly: "monthly on the \(ordinal(series.anchorDay)) \(clock)"
      }
    let place = isSame(series, as: timeZone) ? "" : " in \(series.timeZone.cleanedForDisplay)"
    let end = RepeatText.lastDay(of: series).map { " until \($0)" } ?? ""
    return rule + place + end
  }

  private static func ordinal(_ number: Int) -> String {
    let ending =
      switch number {
      case 1, 21, 31: "st"
      case 2, 22: "nd"
      case 3, 23: "rd"
      default: "th"
      }
    return "\(number)\(ending)"
  }

  /// Whether the reader's clocks show the same where the series is and will be.
  private static func isSame(_ series: MissionSeries, as timeZone: LocalTimeZone) -> Bool {
    if series.timeZone == timeZone.identifier { return true }
    let half = Duration.seconds(182 * 86_400)
    return [series.startsAt, series.startsAt.advanced(by: half)].allSatisfy {
      series.zone.secondsFromUTC(at: $0) == timeZone.secondsFromUTC(at: $0)
    }
  }
}
