import RallyWire

/// The rules as this machine keeps them: its own, and a copy of those that are kept with the
/// account. Both hold; the stricter counts.
public struct KeptPrivacyRules: Hashable, Sendable, Codable {
  /// Of this machine.
  public internal(set) var own = PrivacyRules()
  /// Of the account, as fetched last; nil if it keeps none.
  public internal(set) var account: PrivacyRules?
  /// Whether a zone was made since the position that the server has was looked at.
  public internal(set) var needsWithdrawal = false

  public init() {}

  /// Those that hold here, and whether they are the account's.
  public var parts: [(rules: PrivacyRules, isWithAccount: Bool)] {
    [(own, false)] + (account.map { [($0, true)] } ?? [])
  }

  private var all: [PrivacyRules] { parts.map(\.rules) }

  public var isEmpty: Bool { all.allSatisfy(\.isEmpty) }

  public var zones: [PrivacyZone] { all.flatMap(\.zones) }

  /// The circles that a zone of this name may have; its own comes first.
  func circles(for name: String, at now: WireTime) -> [PrivacyZone] {
    let circles = all.flatMap { $0.circles(at: now) }
    return circles.filter { $0.name == name } + circles.filter { $0.name != name }
  }

  public var hours: [SharingHours] { all.flatMap(\.hours) }

  public func limit(
    at place: Coordinate, accuracyMetres: Double?, measuredAt: WireTime? = nil, now: WireTime
  ) -> PrivacyLimit {
    all.map {
      $0.limit(
        at: place, accuracyMetres: accuracyMetres, measuredAt: measuredAt, now: now)
    }.reduce(.none) { $0.stricter($1) }
  }

  public func isOpen(at time: WireTime) -> Bool { all.allSatisfy { $0.isOpen(at: time) } }

  /// When any hours begin or end next; nil if none do.
  public func nextChange(after now: WireTime) -> WireTime? {
    all.compactMap { $0.nextChange(after: now) }.min()
  }

  /// When a position may leave again, as `Mon 09:00`; nil while it may, and if it never may.
  public func opening(after now: WireTime) -> String? {
    guard !isOpen(at: now) else { return nil }
    var time = now
    // Two schedules have at most this many changes before both are the same again.
    for _ in 0..<4 * PrivacyRules.limit * 7 {
      guard let next = nextChange(after: time) else { return nil }
      if isOpen(at: next) {
        return all.first { !$0.hours.isEmpty }?.dayAndTime(next)
      }
      time = next
    }
    return nil
  }

  // MARK: - Changing

  /// Those to which new ones are added.
  private var target: PrivacyRules {
    get { account ?? own }
    set {
      if account == nil { own = newValue } else { account = newValue }
    }
  }

  /// Adds a zone, in place of one with its name.
  mutating func set(_ zone: PrivacyZone, at now: WireTime) {
    removeZone(zone.name, at: now)
    target.zones.append(zone)
    needsWithdrawal = true
  }

  /// Its circle is remembered where the zone was kept.
  mutating func removeZone(_ name: String, at now: WireTime) {
    own.removeZone(name, at: now)
    account?.removeZone(name, at: now)
  }

  /// Adds hours, in place of those with their name. The first ones decide whose clock they follow.
  mutating func set(_ hours: SharingHours, timeZone: String) {
    removeHours(hours.name)
    if target.hours.isEmpty { target.timeZone = timeZone }
    target.hours.append(hours)
  }

  mutating func removeHours(_ name: String) {
    own.hours.removeAll { $0.name == name }
    account?.hours.removeAll { $0.name == name }
  }

  /// Moves all to the account. What a phone reported before is looked at then.
  ///
  /// - Throws: `FieldProblem` if both have hours, which cannot be made one.
  mutating func moveToAccount(at now: WireTime) throws(FieldProblem) {
    var moved = account ?? PrivacyRules()
    try moved.take(own, at: now)
    account = moved
    own = PrivacyRules()
    if !moved.zones.isEmpty { needsWithdrawal = true }
  }

  /// Moves all to this machine.
  ///
  /// - Throws: `FieldProblem` if both have hours, which cannot be made one.
  mutating func moveHere(at now: WireTime) throws(FieldProblem) {
    if let account { try own.take(account, at: now) }
    account = nil
  }

  /// Takes what the account keeps now. What another machine took from the account goes on here.
  mutating func take(account fetched: PrivacyRules?, at now: WireTime) {
    if fetched == nil, var former = account {
      if !own.hours.isEmpty { former.hours = [] }
      // Without hours on one of the sides nothing is refused.
      try? own.take(former, at: now)
    }
    account = fetched
  }
}

extension PrivacyRules {
  /// Adds the zones and hours of others; a name that is taken gets a number.
  ///
  /// - Throws: `FieldProblem` if both have hours: a position leaves while both say so, and in one
  ///   list it would while either does.
  fileprivate mutating func take(
    _ other: PrivacyRules, at now: WireTime
  ) throws(FieldProblem) {
    if !other.hours.isEmpty {
      guard hours.isEmpty else {
        throw FieldProblem(
          field: .text,
          advice: "Both this machine and the account have hours; remove one of them first.")
      }
      hours = other.hours
      timeZone = other.timeZone
    }
    if let circles = other.former { keep(circles, at: now) }
    for var zone in other.zones where !zones.contains(zone) {
      let name = zone.name
      var number = 1
      while zones.contains(where: { $0.name == zone.name }) {
        number += 1
        zone.name = "\(name.prefix(20))-\(number)"
      }
      zones.append(zone)
    }
  }

  fileprivate mutating func removeZone(_ name: String, at now: WireTime) {
    for zone in zones where zone.name == name { remember(zone, at: now) }
    zones.removeAll { $0.name == name }
  }
}

extension PrivacyLimit {
  /// How exactly the surroundings of a position may be asked about: as a cell of 1 km at most; nil
  /// for not at all.
  public var searchLevel: GridLevel? {
    mode == .off ? nil : mode.gridLevel ?? .oneKilometre
  }
}
