import Foundation
import RallyDomain
import RallyWire

/// What is said of a mission, in the words of the list, the detail and the map.
enum MissionWords {
  // MARK: Time

  /// What is left of a mission, or until it starts, in at most five cells: `45m`, `1h40`, `30h`, `6d`.
  static func span(_ duration: Duration) -> String {
    let minutes = max(0, duration.components.seconds) / 60
    let (hours, rest) = (minutes / 60, minutes % 60)
    switch hours {
    case 0: return minutes == 0 ? "<1m" : "\(minutes)m"
    case ..<10: return rest == 0 ? "\(hours)h" : "\(hours)h\(rest < 10 ? "0" : "")\(rest)"
    case ..<48: return "\(hours)h"
    default: return "\(hours / 24)d"
    }
  }

  /// `↟ 1h40` until it ends, `in 3h` until it starts, `open` without an end, else how it ended.
  static func timeLeft(_ mission: Mission, at now: WireTime) -> String {
    switch mission.phase(at: now) {
    case .upcoming: "in \(span(mission.startsAt.since(now)))"
    case .active: mission.endsAt.map { "↟ \(span($0.since(now)))" } ?? "open"
    case .completed: "done"
    case .cancelled: "off"
    case .ended: "ended"
    }
  }

  /// `ends in 1h40`, as the map and a screen reader have it.
  static func timeSentence(_ mission: Mission, at now: WireTime) -> String {
    switch mission.phase(at: now) {
    case .upcoming: "starts in \(span(mission.startsAt.since(now)))"
    case .active: mission.endsAt.map { "ends in \(span($0.since(now)))" } ?? "no end"
    case .completed: "completed"
    case .cancelled: "cancelled"
    case .ended: "ended"
    }
  }

  /// When `timeLeft` is another text; nil when it stays.
  static func nextChange(of mission: Mission, after now: WireTime) -> WireTime? {
    let end: WireTime? =
      switch mission.phase(at: now) {
      case .upcoming: mission.startsAt
      case .active: mission.endsAt
      case .completed, .cancelled, .ended: nil
      }
    guard let end else { return nil }
    let left = max(0, end.since(now).components.seconds)
    let step: Int64 = left < 10 * 3600 ? 60 : left < 48 * 3600 ? 3600 : 86_400
    return now.advanced(by: .seconds(left % step + 1))
  }

  /// `19:40` today, else with the day: `3 Mar 19:40`.
  static func moment(_ time: WireTime, at now: WireTime) -> String {
    let clock = LocalTime.clock(time)
    let distance = abs(time.since(now).components.seconds)
    if distance < 18 * 3600 { return clock }
    let day = Age.day(time).split(separator: " ")
    return day.prefix(2).joined(separator: " ") + " \(clock)"
  }

  /// `14:21` within a day, else the day: for columns of past things.
  static func pastMoment(_ time: WireTime, at now: WireTime) -> String {
    now.since(time) < .seconds(18 * 3600)
      ? LocalTime.clock(time) : Age.day(time).split(separator: " ").prefix(2).joined(separator: " ")
  }

  // MARK: Standing

  /// `2/4`; empty without objectives.
  static func progress(_ mission: Mission) -> String {
    let progress = mission.record.progress
    return progress.of == 0 ? "" : "\(progress.done)/\(progress.of)"
  }

  /// `ends 19:40 · 4 of 6 places · friends see it`.
  static func state(of mission: Mission, me: UUID?, at now: WireTime) -> [String] {
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
    let count = mission.memberCount
    let places =
      mission.capacity.map { "\(count) of \($0) places" }
      ?? (count == 1 ? "alone" : "\(count) in it")
    let who: String =
      switch mission.visibility {
      case .private: "only you see it"
      case .invited: "by invitation"
      case .friends:
        mission.isCreator(me) ? "your friends see it" : "friends see it"
      }
    return [time, places, who]
  }

  // MARK: Place

  /// `90 m E`; nil without a position.
  static func way(from position: Coordinate?, to place: Coordinate) -> String? {
    guard let position else { return nil }
    let words = GeoText.distance(position.distance(to: place))
    guard words != "here", let bearing = position.bearing(to: place) else { return words }
    return "\(words) \(GeoText.compass(bearing))"
  }

  /// `, 2.3 km NW`, to follow a title.
  static func distance(of mission: Mission, _ scene: MissionsScene) -> String {
    way(from: scene.position, to: mission.centre).map { ", \($0)" } ?? ""
  }

  // MARK: People

  /// The name of somebody in it: `you`, or the username; `somebody` for who does not exist for me.
  static func name(of userID: UUID?, in mission: Mission, me: UUID?) -> String {
    guard let userID else { return "somebody" }
    if userID == me { return "you" }
    return mission.members.first { $0.userID == userID }?.username ?? "somebody"
  }

  /// `ana rui you`, those who do not fit as `+2`.
  static func people(in mission: Mission, me: UUID?, limit: Int = 3) -> String {
    let joined = mission.joined
    // Whoever looks for their mission looks for themselves and a few others.
    let others = joined.filter { $0.userID != me }.map(\.username)
    let isIn = joined.contains { $0.userID == me }
    let shown = Array(others.prefix(isIn ? limit - 1 : limit)) + (isIn ? ["you"] : [])
    let rest = mission.memberCount - shown.count
    return (shown + (rest > 0 ? ["+\(rest)"] : [])).joined(separator: " ")
  }

  // MARK: Activity

  /// Who and what, as two runs: `ana` and ` checked in at Stone cat`.
  static func activity(_ line: MissionActivityRecord, me: UUID?) -> (who: String, what: String) {
    let isMe = line.userID != nil && line.userID?.wrappedValue == me
    let who = isMe ? "you" : line.username?.cleanedForDisplay ?? "somebody"
    let what: String =
      switch line.kind {
      case .created: " started it"
      case .joined: " joined"
      case .left: " left"
      case .checkedIn: " checked in at \(line.objectiveTitle?.cleanedForDisplay ?? "an objective")"
      case .completed: " completed it"
      case .cancelled: " cancelled it"
      case .said: ": \(line.text?.cleanedForDisplay ?? "")"
      }
    return (who, what)
  }

  /// One sentence with all that a row shows, for a reader of lists.
  static func sentence(on mission: Mission, _ scene: MissionsScene) -> String {
    let progress = mission.record.progress
    var parts = [mission.title]
    switch mission.myState {
    case .invited: parts.append("you are invited")
    case .left: parts.append("you left it")
    case .joined: break
    case nil: parts.append("you are not in it")
    }
    if progress.of > 0 { parts.append("\(progress.done) of \(progress.of) done") }
    parts.append(timeSentence(mission, at: scene.now))
    let people = people(in: mission, me: scene.me)
    if !people.isEmpty { parts.append("with \(people)") }
    if let way = way(from: scene.position, to: mission.centre) { parts.append(way) }
    return parts.joined(separator: ", ")
  }
}
