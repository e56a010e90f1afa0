import FoundationEssentials

/// How often a mission repeats.
public enum MissionRepeat: String, Hashable, Sendable, Codable, CaseIterable {
  case daily
  case weekly
  /// Every two weeks.
  case fortnightly
  /// On the same day of each month, or on its last one where the month is shorter.
  case monthly

  /// How long one occurrence lasts at most: it is over before the next one begins, also where the
  /// clocks are put forward between the two.
  public var longestOccurrence: Duration { .seconds(leastDays * 86_400 - 3600) }

  /// The least days from one occurrence to the next.
  private var leastDays: Int64 {
    switch self {
    case .daily: 1
    case .weekly: 7
    case .fortnightly: 14
    case .monthly: 28
    }
  }
}

/// When a mission that repeats takes place: at the same time by the clocks of one time zone.
///
/// The mission's own times are those of one occurrence, the current one. All occurrences last
/// equally long.
public struct MissionSeries: Hashable, Sendable, Codable {
  public var repeats: MissionRepeat
  /// The start of the first occurrence. Day of the week or month and time of day follow from it,
  /// unless the next two say otherwise.
  public var startsAt: WireTime
  /// The day of the month, where the first occurrence is on an earlier one since its month is shorter.
  public var monthDay: Int?
  /// The time of day, where the first occurrence is later since the clocks of its day skip it.
  public var timeOfDay: ClockTime?
  /// No occurrence starts later; nil for no end.
  public var until: WireTime?
  /// A name of the time zone database.
  public var timeZone: String
  /// Starts of occurrences that its creator left out, the earliest first; at most `skipLimit`.
  public var skipped: [WireTime]
  /// The start of the occurrence after the current one; nil if that is the last one.
  public var nextStartsAt: WireTime?

  /// Occurrences left out that are remembered, the latest ones.
  public static let skipLimit = 100
  /// From the first occurrence to the end of the series.
  public static let longest = Duration.seconds(10 * 366 * 86_400)

  public init(
    repeats: MissionRepeat, startsAt: WireTime, monthDay: Int? = nil, timeOfDay: ClockTime? = nil,
    until: WireTime? = nil, timeZone: String, skipped: [WireTime] = [],
    nextStartsAt: WireTime? = nil
  ) {
    self.repeats = repeats
    self.startsAt = startsAt
    self.monthDay = monthDay
    self.timeOfDay = timeOfDay
    self.until = until
    self.timeZone = timeZone
    self.skipped = skipped
    self.nextStartsAt = nextStartsAt
  }

  enum CodingKeys: String, CodingKey {
    case repeats, until, skipped
    case startsAt = "starts_at"
    case monthDay = "month_day"
    case timeOfDay = "time_of_day"
    case timeZone = "time_zone"
    case nextStartsAt = "next_starts_at"
  }

  /// The zone by whose clocks it repeats; UTC where this system does not have the zone.
  public var zone: LocalTimeZone { LocalTimeZone(identifier: timeZone) ?? .utc }

  // MARK: - The day and the time of day

  /// On which day of the month it is, where the month has it: 1...31.
  public var anchorDay: Int { monthDay ?? Int(zone.local(startsAt).civil.day) }
  /// At what time of day it is, where the clocks show it.
  public var anchorTime: ClockTime { timeOfDay ?? ClockTime(ofLocal: zone.local(startsAt)) }

  /// Whether the first occurrence is where its day of the month and its time of day put it.
  public var isConsistent: Bool {
    if monthDay == nil, timeOfDay == nil { return true }
    return (1...31).contains(anchorDay) && (monthDay == nil || repeats == .monthly)
      && start(number: 0) == startsAt
  }

  /// The same series from another occurrence on.
  public func beginning(at start: WireTime) -> MissionSeries {
    var series = self
    series.begin(at: start, day: anchorDay, time: anchorTime)
    return series
  }

  /// The series after its creator changed it: its day of the month stays unless the current occurrence
  /// is moved to another day, its time of day unless that changes.
  ///
  /// - Parameters:
  ///   - start: When the current occurrence starts now.
  ///   - old: When it started before.
  public func moved(
    to start: WireTime, from old: WireTime, repeats: MissionRepeat, timeZone: String
  ) -> MissionSeries {
    var series = self
    (series.repeats, series.timeZone) = (repeats, timeZone)
    let (before, after) = (zone.local(old), series.zone.local(start))
    let isSameDay = before.civil.days == after.civil.days && repeats == self.repeats
    let isSameTime = ClockTime(ofLocal: before) == ClockTime(ofLocal: after)
    series.begin(
      at: start, day: isSameDay ? anchorDay : Int(after.civil.day),
      time: isSameTime ? anchorTime : ClockTime(ofLocal: after))
    series.skipped = []
    return series
  }

  private mutating func begin(at start: WireTime, day: Int, time: ClockTime) {
    let local = zone.local(start)
    startsAt = start
    monthDay = repeats == .monthly && day != Int(local.civil.day) ? day : nil
    timeOfDay = time != ClockTime(ofLocal: local) ? time : nil
    // In another zone they may have nothing to do with each other.
    if !isConsistent { (monthDay, timeOfDay) = (nil, nil) }
  }

  /// The local time of the first occurrence, as it would be if the clocks showed it.
  package var anchor: WireTime { nominal(startsAt) }

  /// The local time of an occurrence, as it would be if the clocks showed it.
  package func nominal(_ start: WireTime) -> WireTime {
    let local = zone.local(start)
    guard let timeOfDay else { return local }
    let passed = timeOfDay.microseconds - ClockTime(ofLocal: local).microseconds
    return local.advanced(by: .microseconds(passed))
  }

  // MARK: - Occurrences

  /// The first occurrence that starts after a moment; nil if there is none.
  public func start(after time: WireTime) -> WireTime? {
    let zone = zone
    let first = anchor
    var number = numberBefore(time, first: first, zone)
    while true {
      let start = zone.time(ofLocal: local(number, first: first))
      if let until, start > until { return nil }
      if start > time, !skipped.contains(start) { return start }
      number += 1
    }
  }

  /// The occurrence of this number, from 0 on, also one that is left out or comes after the end.
  public func start(number: Int) -> WireTime {
    zone.time(ofLocal: local(Int64(number), first: anchor))
  }

  /// A number whose occurrence, and all before it, start at or before a moment; at least 0.
  private func numberBefore(_ time: WireTime, first: WireTime, _ zone: LocalTimeZone) -> Int64 {
    let (from, to) = (first.civil, zone.local(time).civil)
    let passed =
      switch repeats {
      case .daily: to.days - from.days
      case .weekly: (to.days - from.days) / 7
      case .fortnightly: (to.days - from.days) / 14
      case .monthly: (to.year - from.year) * 12 + to.month - from.month
      }
    return max(0, passed - 1)
  }

  /// The local time of an occurrence.
  private func local(_ number: Int64, first: WireTime) -> WireTime {
    let days: Int64
    switch repeats {
    case .daily: days = number
    case .weekly: days = 7 * number
    case .fortnightly: days = 14 * number
    case .monthly:
      let from = first.civil
      let months = from.year * 12 + from.month - 1 + number
      let (year, month) = (months / 12, months % 12 + 1)
      let day = min(
        monthDay.map(Int64.init) ?? from.day, WireTime.dayCount(ofYear: year, month: month))
      days = WireTime.days(fromYear: year, month: month, day: day) - from.days
    }
    return first.advanced(by: .seconds(days * 86_400))
  }
}

extension WireTime {
  /// The date of a local time that stands there as if it were UTC, and its days since 1970.
  package var civil: (year: Int64, month: Int64, day: Int64, days: Int64) {
    let seconds = microseconds.flooredSeconds
    let days = (seconds - ((seconds % 86_400) + 86_400) % 86_400) / 86_400
    let date = WireTime.civil(fromDays: days)
    return (date.year, date.month, date.day, days)
  }
}
