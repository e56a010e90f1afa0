import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// The zones and hours that are kept with my account. No place is ever logged.
public final class PrivacyService: Sendable {
  public static let shared = PrivacyService(client: .shared)

  private let client: ServiceClient
  private let log = RallyLog.logger("Privacy")

  public init(client: SupabaseClient) { self.client = client.logging(by: log) }

  /// - Returns: nil if the account keeps none, or the server is too old to keep any.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchRules() async throws -> PrivacyRules? {
    log.info("fetchRules")
    do {
      return try await client.call(FetchPrivacyRules()).rules
    } catch NetworkError.refused(let failure, _) where failure.isUnknownFunction {
      return nil
    }
  }

  /// - Parameter rules: nil keeps none with the account any more.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func setRules(_ rules: PrivacyRules?, clientID: UUID = UUID()) async throws {
    log.info("setRules — kept: \(rules != nil)")
    _ = try await client.call(SetPrivacyRules(rules: rules), clientID: clientID)
  }
}

/// My zones and sharing hours: what decides, before anything is sent, how much of where I am may
/// leave this machine.
///
/// Kept in a private file beside the manual pin, if wanted also with the account. Until the file was
/// read, and if it cannot be read, nothing leaves.
@MainActor
@Observable
public final class PrivacyRulesService {
  enum Reading {
    case notYet, done, failed
  }

  /// How long the account's rules count without an event.
  private static let accountLifetime = Duration.seconds(300)

  // MARK: - State
  public internal(set) var kept = KeptPrivacyRules()
  private(set) var reading = Reading.notYet
  /// Grows when hours begin or end.
  public private(set) var hoursChanges = 0

  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored let privacyService: PrivacyService
  @ObservationIgnored let persistenceService: PersistenceService
  @ObservationIgnored private(set) var ownerID: UUID?
  /// When the account's rules were fetched.
  @ObservationIgnored var accountAsOf: WireTime?
  /// Grows with every change made here.
  @ObservationIgnored public private(set) var epoch = 0
  /// For all that reads or writes the file: a change holds before it is written, and an older file
  /// must not take it back.
  @ObservationIgnored let turns = TaskTurns()
  @ObservationIgnored private let nextHours = WallClockTimer()
  @ObservationIgnored let now: () -> WireTime
  @ObservationIgnored let log = RallyLog.logger("Privacy")

  /// - Parameters:
  ///   - persistenceService: Where the file is, in the state folder.
  ///   - now: The wall clock.
  public init(
    authService: AuthService, privacyService: PrivacyService,
    persistenceService: PersistenceService, now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.privacyService = privacyService
    self.persistenceService = persistenceService
    self.now = now
  }

  // MARK: - Deciding

  /// The most that may leave of a position now, and why.
  ///
  /// - Parameter measuredAt: When the device was there, if that was not now.
  public func limit(of fix: LocationFix, measuredAt: WireTime? = nil) -> PrivacyLimit {
    limit(at: fix.coordinate, accuracyMetres: fix.accuracyMetres, measuredAt: measuredAt)
  }

  public func limit(
    at place: Coordinate, accuracyMetres: Double?, measuredAt: WireTime? = nil
  ) -> PrivacyLimit {
    _ = hoursChanges
    guard reading == .done else { return PrivacyLimit(mode: .off, reason: .unreadable) }
    return kept.limit(
      at: place, accuracyMetres: accuracyMetres, measuredAt: measuredAt, now: now())
  }

  /// The most that may leave of where this device is now. While that is not known, only the hours
  /// hold something back.
  public func limit(of provider: CurrentLocationProvider) -> PrivacyLimit {
    if let fix = provider.fix { return limit(of: fix, measuredAt: provider.choice.lastKnownAt) }
    _ = hoursChanges
    let isOpen = reading != .done || kept.isOpen(at: now())
    return isOpen ? .none : PrivacyLimit(mode: .off, reason: .hours)
  }

  /// Whether a zone was made since the position that the server has was looked at, and that position
  /// is finer than what leaves from there.
  func isUnwanted(_ position: OwnPosition?) -> Bool {
    guard reading == .done, kept.needsWithdrawal, let position else { return false }
    return kept.zones.contains {
      $0.allows.mode < position.precision
        && $0.touches(position.coordinate, accuracyMetres: position.accuracyMetres)
    }
  }

  /// When the hours begin again, as `Mon 09:00`; nil while they hold nothing back.
  public var opening: String? { kept.opening(after: now()) }

  // MARK: - The file

  /// Reads the rules of the signed-in person, once.
  public func restore() async {
    guard let userID = await authService.currentUserID else { return }
    if reading != .done || ownerID != userID { await reload() }
  }

  /// Reads what another process of this profile may have changed.
  public func reload() async { await turns.run { await self.read() } }

  func read() async {
    guard let userID = await authService.currentUserID else { return }
    do {
      let read = try await persistenceService.read(
        KeptPrivacyRules.self, withKey: Self.key(userID: userID))
      take(read ?? KeptPrivacyRules(), of: userID)
    } catch PersistenceError.notConfigured {
      take(kept, of: userID)
    } catch {
      log.error("reload — failed: \(error.logLabel)")
      ownerID = userID
      reading = .failed
    }
  }

  private func take(_ rules: KeptPrivacyRules, of userID: UUID) {
    ownerID = userID
    if reading != .done { reading = .done }
    if kept != rules { kept = rules }
    followHours()
  }

  func hold(_ rules: KeptPrivacyRules) {
    epoch += 1
    kept = rules
    followHours()
  }

  /// - Throws: `FileError` if it cannot be written; it holds all the same.
  func save() async throws {
    guard let ownerID else { return }
    do {
      try await persistenceService.save(kept, withKey: Self.key(userID: ownerID))
    } catch PersistenceError.notConfigured {
      return
    }
  }

  /// Deletes the file, as signing out must.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if it cannot be deleted.
  public func forget(userID: UUID) async throws {
    try await turns.run { [self] in
      hold(KeptPrivacyRules())
      reading = .notYet
      accountAsOf = nil
      try await persistenceService.delete(withKey: Self.key(userID: userID))
    }
  }

  static func key(userID: UUID) -> String { "privacy-\(userID.wireText)" }

  /// A timer runs only while there are hours.
  func followHours() {
    let time = now()
    nextHours.set(kept.nextChange(after: time), now: time) { [weak self] in
      self?.hoursChanges += 1
      self?.followHours()
    }
  }

  // MARK: - The account

  /// Fetches what the account keeps, unless that was done a short time ago.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  func refreshAccount() async throws {
    await restore()
    if accountAsOf?.isRecent(within: Self.accountLifetime, at: now()) == true { return }
    try await fetchAccount()
  }

  /// The account's rules may have changed; the next refresh fetches them.
  func accountChanged() { accountAsOf = nil }

  /// Fetches what the account keeps.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchAccount() async throws {
    let (before, time) = (epoch, now())
    let fetched = try await privacyService.fetchRules()
    await turns.run { [self] in
      guard epoch == before, reading == .done else { return }
      accountAsOf = time
      guard fetched != kept.account else { return }
      kept.take(account: fetched, at: now())
      followHours()
      do {
        try await save()
      } catch {
        log.error("fetchAccount — not kept: \(error.logLabel)")
      }
    }
  }
}

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

extension PrivacyRulesService {
  /// A store without a server and without a file.
  static func inert() -> PrivacyRulesService {
    PrivacyRulesService(
      authService: AuthService(client: SupabaseClient()),
      privacyService: PrivacyService(client: SupabaseClient()),
      persistenceService: PersistenceService())
  }
}

private struct PrivacyRulesServiceKey: EnvironmentKey {
  @MainActor static let defaultValue = PrivacyRulesService.inert()
}

extension EnvironmentValues {
  public var privacyRulesService: PrivacyRulesService {
    get { self[PrivacyRulesServiceKey.self] }
    set { self[PrivacyRulesServiceKey.self] = newValue }
  }
}
