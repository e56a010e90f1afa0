import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire

/// Texts about mission activity and mission status, shared by screens and commands.
public enum ActivityText {
  // MARK: - Lines

  /// - Parameter reader: The user who is called `you`.
  public static func sentence(_ line: MissionActivityRecord, for reader: UUID?) -> String {
    let name = actor(of: line, for: reader)
    let somebody = name ?? "somebody"
    let by = name.map { " by \($0)" } ?? ""
    return switch line.kind {
    case .created: "mission started\(by)"
    case .joined: "\(somebody) joined"
    case .left: "\(somebody) left"
    case .checkedIn: "\(somebody) found \(line.objectiveTitle ?? "a place")"
    case .completed: "completed\(by)"
    case .cancelled: "cancelled\(by)"
    case .said: "\(somebody): “\(line.text ?? "")”"
    }
  }

  /// `you` or the username; nil if unknown.
  public static func actor(of line: MissionActivityRecord, for reader: UUID?) -> String? {
    guard let userID = line.userID else { return nil }
    return userID == reader ? "you" : line.username
  }

  /// A member's name in a list: `you`, or the username.
  public static func name(of member: MissionMemberRecord, for reader: UUID?) -> String {
    member.userID == reader ? "you" : member.username
  }

  // MARK: - Time

  /// A remaining time, short enough for a list: `<1m`, `45m`, `1h40`, `12h`, `6d`.
  ///
  /// - Parameter duration: Negative counts as zero.
  public static func left(_ duration: Duration) -> String {
    let minutes = duration.components.seconds / 60
    switch minutes {
    case ..<1: return "<1m"
    case ..<60: return "\(minutes)m"
    case ..<600:
      let rest = minutes % 60
      return rest == 0 ? "\(minutes / 60)h" : "\(minutes / 60)h\(rest < 10 ? "0" : "")\(rest)"
    case ..<(48 * 60): return "\(minutes / 60)h"
    default: return "\(minutes / (24 * 60))d"
    }
  }

  /// A mission's time in a list: `1h40` (left), `starts in 2d`, `no end`, `completed`.
  public static func status(_ mission: Mission, at now: WireTime) -> String {
    switch mission.phase(at: now) {
    case .upcoming: "starts in \(left(mission.startsAt.since(now)))"
    case .active: mission.endsAt.map { left($0.since(now)) } ?? "no end"
    case .completed: "completed"
    case .cancelled: "cancelled"
    case .ended: "ended"
    }
  }

  /// A mission's time in its detail: `ends 19:40`, `ends in 6d`, `starts 19:40`, `starts in 2d`,
  /// `completed 3h ago`; `no end` if it has none.
  ///
  /// - Parameter clock: Formats the local time of day, for times within a day.
  public static func schedule(
    _ mission: Mission, at now: WireTime, clock: (WireTime) -> String
  ) -> String {
    func coming(_ time: WireTime) -> String {
      let duration = time.since(now)
      return duration < .seconds(86_400) ? clock(time) : "in \(left(duration))"
    }
    func past(_ word: String, _ time: WireTime?) -> String {
      time.map { "\(word) \(ago($0, at: now))" } ?? word
    }
    return switch mission.phase(at: now) {
    case .upcoming: "starts \(coming(mission.startsAt))"
    case .active: mission.endsAt.map { "ends \(coming($0))" } ?? "no end"
    case .completed: past("completed", mission.closedAt)
    case .cancelled: past("cancelled", mission.closedAt)
    case .ended: past("ended", mission.endsAt)
    }
  }

  private static func ago(_ time: WireTime, at now: WireTime) -> String {
    let age = Age.short(time, at: now)
    if age == "now" { return "just now" }
    return age.contains("-") ? "in \(age)" : "\(age) ago"
  }

  // MARK: - Counts and places

  /// `4 of 6 people`, `4 of 6 people, full` where others take the rest whom I do not know of.
  /// Without a capacity `4 people`, `1 person`.
  public static func places(_ mission: Mission) -> String {
    let count = mission.memberCount
    if let capacity = mission.capacity {
      let isTakenUnseen = mission.isFull && count < capacity
      return
        "\(count) of \(capacity.counted("person", "people"))\(isTakenUnseen ? ", full" : "")"
    }
    return count.counted("person", "people")
  }

  /// Check-ins made and required, `2/4`; nil without objectives.
  public static func progress(_ mission: Mission) -> String? {
    let (done, of) = mission.progress
    return of == 0 ? nil : "\(done)/\(of)"
  }

  /// `9/20` for an objective that requires several check-ins; nil if it requires one.
  public static func progress(_ objective: ObjectiveRecord) -> String? {
    objective.count > 1 ? "\(min(objective.checkIns, objective.count))/\(objective.count)" : nil
  }

  /// `90 m E`, `9,130 km NW`, `here`.
  public static func distance(from here: Coordinate, to place: Coordinate) -> String {
    let metres = here.distance(to: place)
    let text = GeoText.distance(metres)
    guard metres >= 10, let bearing = here.bearing(to: place) else { return text }
    return "\(text) \(GeoText.compass(bearing))"
  }

  /// `only you`, `invited people`, `friends`.
  public static func audience(_ visibility: MissionVisibility) -> String {
    switch visibility {
    case .private: "only you"
    case .invited: "invited people"
    case .friends: "friends"
    }
  }

  // MARK: - Check-ins

  /// The status of a check-in that is not on the server yet: `sending`, `queued`, …
  public static func status(_ status: PendingCheckIn.Status) -> String {
    switch status {
    case .sending: "sending"
    case .queued: "queued, sent when online"
    case .late: "not sent: the mission was over before the network returned"
    case .refused(let sentence): sentence
    }
  }
}
