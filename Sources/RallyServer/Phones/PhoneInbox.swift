import Foundation
import RallyGate
import RallyRules
import RallyStorage
import RallyWire

/// Takes what phones send, each request in one transaction.
package struct PhoneInbox: Sendable {
  /// How long the reason of a refused position is kept once others are taken again.
  static let problemLife = Duration.seconds(86_400)

  /// No phone has this credential (any more), or its owner's account is disabled.
  package struct Unknown: Error {}

  let storage: Storage
  let moves: CellMoves
  let limiter: RateLimiter
  let reads: ReadGate
  let now: @Sendable () -> WireTime

  package init(
    storage: Storage, moves: CellMoves, limiter: RateLimiter, reads: ReadGate,
    now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.storage = storage
    self.moves = moves
    self.limiter = limiter
    self.reads = reads
    self.now = now
  }

  /// The phone with a credential, before anything that it sent is parsed.
  ///
  /// - Parameter address: Where unknown credentials are counted; a name that a stranger makes up
  ///   counts nothing.
  /// - Throws: `Unknown`; `RateRefusal` for too many posts of one phone, or too many unknown
  ///   credentials from one address; `StorageFailure`.
  package func admit(
    _ secret: AccessSecret?, for app: PhoneApp, from address: ClientAddress?
  ) async throws -> StoredPhone {
    // Anybody can send a wrong credential: it costs a read, and never a place among the writes.
    guard let hash = secret?.digest,
      let phone = try await storage.read({
        try PhoneRecords.find(secretHash: hash, app: app, in: $0)
      })
    else {
      if let delay = try await limiter.delay(.unknownPhone, address: address) {
        throw RateRefusal(delay: delay)
      }
      throw Unknown()
    }
    try await limiter.replenishing {
      try limiter.take(.phonePostsPerMinute, of: hash, share: 1)
    }
    return phone
  }

  /// Parses what a phone sent.
  ///
  /// - Throws: `RateRefusal` if too much of its owner waits.
  func parse(
    _ body: Data, of phone: StoredPhone, _ parse: @escaping @Sendable (Data) -> PhonePost
  ) async throws -> PhonePost {
    try await reads.parse(body, of: phone.owner.wireText, parse)
  }

  /// Stores the newest of the positions that can be taken, and the reason why another cannot. Of
  /// what the owner's zones and hours hold back nothing is stored, as if it had not been sent.
  ///
  /// - Throws: `Unknown` for a phone that was revoked meanwhile; `StorageFailure`.
  package func take(_ post: PhonePost, of admitted: StoredPhone) async throws -> StoredPhone {
    let time = now()
    return try await storage.write { [moves] database in
      let found = try PhoneRecords.find(
        secretHash: admitted.secretHash, app: admitted.app, in: database)
      guard var phone = found else { throw Unknown() }
      try PhoneInbox.take(post, from: &phone, moves: moves, at: time, in: database)
      if post.wantsFriends,
        try LocationAskFunctions.isReportWanted(of: phone, at: time, in: database)
      {
        (phone.isReportWanted, phone.commandedAt) = (true, time)
      }
      try PhoneRecords.update(phone, in: database)
      return phone
    }
  }

  private static func take(
    _ post: PhonePost, from phone: inout StoredPhone, moves: CellMoves, at time: WireTime,
    in database: Database
  ) throws {
    var problem = post.problem
    var lastWithoutFix: WireTime?
    let privacy = try PhonePrivacy(of: phone.owner.wireText, in: database)
    var newest: PhonePrivacy.Allowed?
    for fix in post.fixes {
      do throws(PhoneFix.Problem) {
        let taken = try fix.taken(from: phone.app, at: time)
        guard let allowed = privacy.allowed(taken, at: time) else { continue }
        // Of two with the same time the one that stands later.
        if newest.map({ $0.measuredAt <= allowed.measuredAt }) ?? true { newest = allowed }
      } catch PhoneFix.Problem.noFix {
        lastWithoutFix = max(lastWithoutFix ?? fix.recordedAt ?? time, fix.recordedAt ?? time)
      } catch {
        problem = error.sentence
      }
    }
    if let lastWithoutFix, problem == nil, newest.map({ $0.measuredAt < lastWithoutFix }) ?? true {
      problem = PhoneFix.Problem.noFix.sentence
    }
    let lastPostAt = phone.lastPostAt
    phone.lastPostAt = time
    let hasFoundFix = newest != nil && phone.problem == PhoneFix.Problem.noFix.sentence
    if let problem {
      (phone.problem, phone.problemAt) = (problem, time)
    } else if newest != nil, let since = phone.problemAt,
      hasFoundFix || !since.isRecent(within: PhoneInbox.problemLife, at: time)
    {
      (phone.problem, phone.problemAt) = (nil, nil)
    }
    // Buffered posts come late and twice: what is not newer changes nothing.
    guard let newest,
      isNews(newest.measuredAt, after: phone.lastFixAt, posted: lastPostAt, at: time)
    else { return }
    phone.lastFixAt = newest.measuredAt
    let stored = try LocationRecords.find(phone.owner.wireText, in: database)
    guard let report = newest.report(after: stored) else { return }
    try DeviceReports.publish(
      report, from: phone.id.wireText, of: phone.owner, moves: moves, at: time,
      in: database)
  }

  /// Whether a fix is newer than the last one. A time ahead of this clock is that of a wrong clock: it
  /// counts against a right one as the time at which it came.
  private static func isNews(
    _ measuredAt: WireTime, after last: WireTime?, posted: WireTime?, at now: WireTime
  ) -> Bool {
    guard let last, measuredAt <= last else { return true }
    guard last > now, measuredAt <= now, let posted else { return false }
    return measuredAt > posted
  }
}

/// The zones and hours that a phone's owner keeps with the account, applied in memory to what the
/// phone sends.
private struct PhonePrivacy: Sendable {
  /// A position of which at least something may be stored.
  struct Allowed: Sendable {
    let measuredAt: WireTime
    fileprivate let report: LocationReport
    fileprivate let mode: SharingMode

    /// What is stored of it; nil for nothing new.
    ///
    /// As on the owner's other machines, the edge of a zone whose city may be shown reveals
    /// nothing. What is stored stays and ages, until the phone is in another city or maps do not
    /// show the position any more.
    ///
    /// - Parameter stored: The owner's position as it is stored.
    func report(after stored: StoredLocation?) -> LocationReport? {
      guard let level = mode.gridLevel, let place = report.coordinate else { return report }
      let previous = stored.flatMap { stored -> GridCell? in
        let age = report.recordedAt.since(stored.recordedAt)
        let isShown =
          stored.precision <= mode || WithheldReason(age: age, precision: stored.precision) == nil
        return isShown ? stored.announced(at: level).map { $0.pending?.cell ?? $0.cell } : nil
      }
      let cell = GridCell.following(previous, at: place, level: level)
      return cell == previous ? nil : LocationReport(in: cell, at: report.recordedAt)
    }
  }

  let rules: PrivacyRules?

  init(of owner: String, in database: Database) throws {
    rules = try PrivacyRuleRecords.find(owner, in: database)
  }

  /// - Returns: nil if nothing of it may be stored, not even that it came.
  func allowed(_ fix: PhoneFix.Taken, at now: WireTime) -> Allowed? {
    guard let place = fix.report.coordinate else { return nil }
    let limit =
      rules?.limit(
        at: place, accuracyMetres: fix.report.accuracyMetres, measuredAt: fix.measuredAt, now: now)
      ?? .none
    guard limit.mode > .off else { return nil }
    return Allowed(measuredAt: fix.measuredAt, report: fix.report, mode: limit.mode)
  }
}
