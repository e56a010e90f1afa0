import RallyText
import RallyWire

/// A status at a moment: what a status line says, and `rally status --json`.
public struct StatusReport: Hashable, Sendable, Encodable {
  public struct Mission: Hashable, Sendable, Encodable {
    public var title: String
    public var startsAt: WireTime
    public var endsAt: WireTime?
    /// When it starts, or `until` when it runs, in local time: `19:40`, `tomorrow 10:00`,
    /// `until 21:00`, `now` without an end.
    public var when: String

    private enum CodingKeys: String, CodingKey {
      case title
      case startsAt = "starts_at"
      case endsAt = "ends_at"
      case when
    }
  }

  /// A friend is near who is certainly within this many metres.
  public static let nearMetres = 5000
  /// How many names `nearNames` has at the most.
  static let nameLimit = 5

  public var username: String
  public var requests: Int
  public var questions: Int
  public var invitations: Int
  public var friends: Int
  public var near: Int
  /// The nearest first.
  public var nearNames: [String]
  /// Friends whose position is fresh.
  public var live: Int
  /// The mission that starts next, or else the one that runs and ends first.
  public var mission: Mission?
  /// Friends who can see where I am.
  public var seen: Int
  public var seenPrecisely: Int
  /// What the friend sees who sees most, in the words of `rally location share`; `ghost` or
  /// `ghost-pending` for a ghost.
  public var seenLevel: String
  /// `a link until 18:00`: what shows me to whoever has its address; empty for none.
  public var link: String
  /// `normal`, `constrained` or `critical`.
  public var policy: String
  public var asOf: WireTime
  /// Whether an interface is open and connected, so that this holds now.
  public var isCurrent: Bool
  /// The local time of `asOf`; empty while it is current.
  public var age: String

  private enum CodingKeys: String, CodingKey {
    case username, requests, questions, invitations, friends, near, live, mission, seen, policy,
      age,
      link
    case nearNames = "near_names"
    case seenPrecisely = "seen_precisely"
    case seenLevel = "seen_level"
    case asOf = "as_of"
    case isCurrent = "is_current"
  }

  /// - Parameters:
  ///   - isOpen: Whether the client that keeps the status runs.
  ///   - zone: For times of day.
  public init(
    _ status: ClientStatus, isOpen: Bool, at now: WireTime, in zone: LocalTimeZone = .current
  ) {
    let when = WhenText(timeZone: zone, now: now)
    username = status.username
    requests = status.requests
    questions = status.questions
    invitations = status.invitations
    friends = status.friends
    let shown = status.positions.filter { $0.isShown(at: now) }
    let close = shown.filter { $0.metres.map { $0 <= Self.nearMetres } ?? false }
    near = close.count
    nearNames = close.prefix(Self.nameLimit).map { $0.displayName.cleanedForDisplay }
    live = shown.count { $0.isFresh(at: now) }
    mission = status.mission(at: now).map { next in
      Mission(
        title: next.title.cleanedForDisplay, startsAt: next.startsAt, endsAt: next.endsAt,
        when: next.startsAt > now
          ? when.words(of: next.startsAt)
          : next.endsAt.map { "until \(when.words(of: $0))" } ?? "now")
    }
    let summary = status.sharing(at: now)
    seen = summary.sharedCount
    seenPrecisely = summary.preciseCount
    seenLevel =
      switch summary.ghost {
      case .gone where seen == 0: "ghost"
      case .pending: "ghost-pending"
      case .gone, nil: status.finest(at: now).word
      }
    link = WatchText.sentence(ends: status.linkEnds ?? [], at: now, timeZone: zone) ?? ""
    policy = status.policy
    asOf = status.asOf
    isCurrent = isOpen && status.isConnected
    age = isCurrent ? "" : when.words(of: status.asOf)
  }

  /// What waits for an answer.
  public var waiting: Int { requests + questions + invitations }
}

extension ClientStatus {
  /// The earliest moment after `now` at which a report of this says something else.
  public func nextChange(after now: WireTime) -> WireTime? {
    var times = positions.flatMap { [$0.freshEnd, $0.nextWholeDay(after: now)] }
    times += missions.flatMap { [$0.startsAt, $0.endsAt].compactMap(\.self) }
    times += linkEnds ?? []
    times += ([general] + shares.map(\.setting)).compactMap(\.until)
    // `tomorrow 10:00` becomes `10:00`.
    if !missions.isEmpty { times.append(now.nextMidnight) }
    return times.filter { $0 > now }.min()
  }

  fileprivate func mission(at now: WireTime) -> Appointment? {
    if let next = missions.filter({ $0.startsAt > now }).min(by: { $0.startsAt < $1.startsAt }) {
      return next
    }
    return missions.filter { $0.endsAt.map { $0 > now } ?? true }
      .min { ($0.endsAt?.microseconds ?? .max) < ($1.endsAt?.microseconds ?? .max) }
  }

  /// Friends' modes at a time, with how many have each.
  private func modes(at now: WireTime) -> [(mode: SharingMode, count: Int)] {
    let fallback = general.holds(at: now) ? general.mode : .off
    return [(fallback, withoutOwn)]
      + shares.map { ($0.setting.holds(at: now) ? $0.setting.mode : fallback, $0.count) }
  }

  fileprivate func sharing(at now: WireTime) -> SharingSummary {
    let modes = modes(at: now)
    let shared = modes.reduce(0) { $0 + ($1.mode > .off ? $1.count : 0) }
    let precise = modes.reduce(0) { $0 + ($1.mode == .precise ? $1.count : 0) }
    return SharingSummary(
      sharedCount: max(shared, least?.shared ?? 0), preciseCount: max(precise, least?.precise ?? 0),
      ghost: ghost)
  }

  fileprivate func finest(at now: WireTime) -> SharingMode {
    if least?.precise ?? 0 > 0 { return .precise }
    return modes(at: now).filter { $0.count > 0 }.map(\.mode).max() ?? .off
  }
}

extension ClientStatus.Position {
  fileprivate func isShown(at now: WireTime) -> Bool {
    WithheldReason(age: now.since(recordedAt), precision: precision) == nil
  }

  fileprivate func isFresh(at now: WireTime) -> Bool {
    PositionAge(of: latestTime, at: now) == .fresh
  }

  private var latestTime: WireTime {
    precision == .precise ? recordedAt : recordedAt.advanced(by: .quarterHour)
  }

  fileprivate var freshEnd: WireTime { latestTime.advanced(by: PositionAge.freshEnd) }

  /// Maps stop showing a position after a number of whole days.
  fileprivate func nextWholeDay(after now: WireTime) -> WireTime {
    let days = max(0, now.since(recordedAt).components.seconds) / 86_400 + 1
    return recordedAt.advanced(by: .seconds(days * 86_400))
  }
}

extension WireTime {
  /// The next midnight of this machine's zone.
  fileprivate var nextMidnight: WireTime {
    let minute = LocalMinute(self, in: .current).minute
    let wholeMinute = WireTime(microseconds: microseconds / 60_000_000 * 60_000_000)
    return wholeMinute.advanced(by: .seconds((1440 - minute) * 60))
  }
}
