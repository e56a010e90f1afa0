import FoundationEssentials

/// What a person keeps to themself: decided before a position is sent, and shown to nobody.
///
/// The client and, for phones, the server decide by the same code.
public struct PrivacyRules: Hashable, Sendable, Codable {
  /// The most zones, and the most hours, of one person.
  public static let limit = 32
  private static let nameLength = 1...24
  /// What stands in the place of a name in commands.
  private static let reserved: Set = ["off", "at", "list"]

  public var zones: [PrivacyZone] = []
  /// A position leaves in these hours only; empty for no limit.
  public var hours: [SharingHours] = []
  /// Whose clock the hours follow, such as `Europe/Lisbon`.
  public var timeZone = "UTC"
  /// The circles of zones that were removed in the last year; nil for none.
  public var former: [FormerCircle]?

  public init() {}

  public var isEmpty: Bool { zones.isEmpty && hours.isEmpty }

  enum CodingKeys: String, CodingKey {
    case zones, hours, former
    case timeZone = "time_zone"
  }

  // MARK: - Deciding

  /// The most that may leave, and why.
  ///
  /// A device counts as inside a zone when its accuracy circle touches the zone. Of several zones
  /// the strictest counts.
  ///
  /// - Parameters:
  ///   - accuracyMetres: nil counts as exact.
  ///   - measuredAt: When the device was there, if that was not now: then this time must lie within
  ///     the hours too.
  public func limit(
    at place: Coordinate, accuracyMetres: Double?, measuredAt: WireTime? = nil, now: WireTime
  ) -> PrivacyLimit {
    guard isOpen(at: now), measuredAt.map(isOpen) ?? true else {
      return PrivacyLimit(mode: .off, reason: .hours)
    }
    return zones.lazy.filter { $0.touches(place, accuracyMetres: accuracyMetres) }
      .map { PrivacyLimit(mode: $0.allows.mode, reason: .zone($0.name)) }
      .min { $0.mode < $1.mode } ?? .none
  }

  /// Whether a moment lies within the hours. With a time zone that is not known, no moment does.
  public func isOpen(at time: WireTime) -> Bool {
    if hours.isEmpty { return true }
    guard let zone = LocalTimeZone(identifier: timeZone) else { return false }
    let time = LocalMinute(time, in: zone)
    return hours.contains { $0.contains(time) }
  }

  /// When the hours begin or end next; nil if they never do.
  public func nextChange(after now: WireTime) -> WireTime? {
    guard !hours.isEmpty, let zone = LocalTimeZone(identifier: timeZone) else { return nil }
    let isOpen = isOpen(at: now)
    return Self.candidates(for: hours, after: now, in: zone)
      .first { self.isOpen(at: $0) != isOpen }
  }

  /// The moments of the next nine days at which hours may begin or end, in order. On a day on
  /// which the clock is changed some are wrong, which harms nobody: each is tried.
  private static func candidates(
    for hours: [SharingHours], after now: WireTime, in zone: LocalTimeZone
  ) -> [WireTime] {
    let day: Int64 = 86_400
    let seconds = now.microseconds.flooredSeconds
    let today = seconds / day * day
    let minutes = Set(hours.flatMap { [$0.start, $0.end] })
    var moments: Set<Int64> = []
    for midnight in stride(from: today - 2 * day, through: today + 9 * day, by: Int(day)) {
      let offsets = Set(
        [midnight - day, midnight + day].map {
          Int64(zone.secondsFromUTC(at: WireTime(microseconds: $0 * 1_000_000)))
        })
      for offset in offsets {
        for minute in minutes { moments.insert(midnight + Int64(minute) * 60 - offset) }
      }
    }
    if let switched = zone.nextTransition(after: now) {
      moments.insert(switched.microseconds.flooredSeconds)
    }
    return moments.filter { $0 > seconds }.sorted().map { WireTime(microseconds: $0 * 1_000_000) }
  }

  /// `Mon 09:00` by the clock of the hours.
  public func dayAndTime(_ time: WireTime) -> String {
    let local = LocalMinute(time, in: LocalTimeZone(identifier: timeZone) ?? .utc)
    return "\(SharingHours.dayNames[local.day].capitalized) \(LocalMinute.text(local.minute))"
  }

  // MARK: - Former circles

  /// The circles of the last year that a new zone may have: those of zones, then former ones, the
  /// newest first.
  public func circles(at now: WireTime) -> [PrivacyZone] {
    zones
      + (former ?? []).filter { $0.removedAt.advanced(by: FormerCircle.lifetime) > now }
      .sorted { $0.removedAt > $1.removedAt }.map(\.zone)
  }

  /// Notes the circle of a zone that is gone, and forgets those of more than a year ago.
  public mutating func remember(_ zone: PrivacyZone, at now: WireTime) {
    keep([FormerCircle(of: zone, removedAt: now)], at: now)
  }

  /// Adds circles of others; of several with one centre the largest stays.
  public mutating func keep(_ circles: [FormerCircle], at now: WireTime) {
    var kept: [FormerCircle] = []
    let all = ((former ?? []) + circles)
      .filter { $0.removedAt.advanced(by: FormerCircle.lifetime) > now }
      .sorted { $0.removedAt > $1.removedAt }
    for circle in all {
      if let known = kept.firstIndex(where: { $0.centre == circle.centre }) {
        kept[known].radiusMetres = max(kept[known].radiusMetres, circle.radiusMetres)
      } else if kept.count < FormerCircle.limit {
        kept.append(circle)
      }
    }
    former = kept.isEmpty ? nil : kept
  }

  // MARK: - Validity

  /// A name of 1 to 24 letters a–z, digits and dashes, in lower case.
  ///
  /// - Throws: `FieldProblem` that says what to type instead.
  public static func checkedName(_ text: String) throws(FieldProblem) -> String {
    let name = text.lowercased()
    guard nameLength.contains(name.utf8.count), !reserved.contains(name),
      name.allSatisfy({ "a"..."z" ~= $0 || "0"..."9" ~= $0 || $0 == "-" }), !name.hasPrefix("-")
    else {
      throw FieldProblem(
        field: .text, advice: "A name has 1 to 24 letters a-z, digits and dashes, like home.")
    }
    return name
  }

  /// Why these are no rules, as one sentence without any number of a place; nil if they are.
  public var problem: String? {
    func isWrong(_ names: [String]) -> Bool {
      Set(names).count != names.count || names.contains { (try? Self.checkedName($0)) != $0 }
    }
    if zones.count > Self.limit || hours.count > Self.limit {
      return "There are at most \(Self.limit) zones and \(Self.limit) hours."
    }
    if isWrong(zones.map(\.name)) || isWrong(hours.map(\.name)) {
      return "Each name is unique, of 1 to 24 letters a-z, digits and dashes."
    }
    if zones.contains(where: { !PrivacyZone.radii.contains($0.radiusMetres) }) {
      return "radius_m is in \(Int(PrivacyZone.radii.lowerBound))"
        + "...\(Int(PrivacyZone.radii.upperBound))."
    }
    if let former {
      if former.count > FormerCircle.limit {
        return "There are at most \(FormerCircle.limit) former circles."
      }
      if former.contains(where: { !PrivacyZone.radii.contains($0.radiusMetres) }) {
        return "radius_m of a former circle is that of a zone."
      }
    }
    if hours.contains(where: { !$0.isValid }) {
      return "days are 0 to 6 in order, start_minute is in 0...1439, end_minute in 1...1440."
    }
    if timeZone.utf8.count > 64 || LocalTimeZone(identifier: timeZone) == nil {
      return "time_zone is a name of the time zone database, like Europe/Lisbon."
    }
    return nil
  }
}

/// The most that may leave, by the rules of a person.
public struct PrivacyLimit: Hashable, Sendable {
  /// `precise` for everything.
  public var mode: SharingMode
  /// nil for no limit.
  public var reason: PrivacyReason?

  public static let none = PrivacyLimit(mode: .precise, reason: nil)

  public init(mode: SharingMode, reason: PrivacyReason?) {
    self.mode = mode
    self.reason = reason
  }

  /// The stricter of two.
  public func stricter(_ other: PrivacyLimit) -> PrivacyLimit { other.mode < mode ? other : self }
}

/// Why a position is held back, or leaves as a city only.
public enum PrivacyReason: Hashable, Sendable {
  /// By a zone of this name.
  case zone(String)
  /// It is outside of the hours.
  case hours
  /// The rules could not be read, so that nothing leaves.
  case unreadable
}
