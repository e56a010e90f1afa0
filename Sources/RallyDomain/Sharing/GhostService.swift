import FoundationEssentials
import Logging
import RallyWire

/// Being seen by nobody, and coming back to exactly what was shared before.
///
/// What was shared is written down before anything is taken away, so that neither a crash nor a
/// lost connection half-way can lose it, and a ghost that could not reach the server yet is
/// finished by the next run that can.
public final class GhostService: Sendable {
  public static let shared = GhostService(
    authService: .shared, locationsService: .shared, persistenceService: PersistenceService())

  private let authService: AuthService
  private let locationsService: LocationsService
  private let persistenceService: PersistenceService
  private let now: @Sendable () -> WireTime
  private let log = RallyLog.logger("Ghost")

  /// - Parameter persistenceService: Where it is written down, in the state folder.
  public init(
    authService: AuthService, locationsService: LocationsService,
    persistenceService: PersistenceService, now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.locationsService = locationsService
    self.persistenceService = persistenceService
    self.now = now
  }

  /// How far the signed-in person is; nil when they are no ghost.
  public func phase() async -> GhostPhase? { await record()?.phase }

  /// One element whenever the phase, or another file beside it, may have changed, also by another
  /// process of this profile.
  func changes() -> AsyncStream<Void> { persistenceService.changes() }

  /// Notes that the person wants to be a ghost; asks nobody, so it works offline.
  ///
  /// - Throws: `NetworkError.signedOut`, or `FileError` if it cannot be written.
  public func begin() async throws {
    let userID = try await userID()
    var record = await record() ?? GhostRecord()
    record.phase = .pending
    record.isReturning = false
    try await save(record, for: userID)
  }

  /// Takes everything away from everybody, and checks that it is gone.
  ///
  /// - Returns: What holds afterwards.
  /// - Throws: `NetworkError`; then somebody may still see something and the phase stays pending.
  public func complete() async throws -> [LocationSharingRecord] {
    let userID = try await userID()
    log.info("complete — start")
    // A second look: something may have been shared from elsewhere meanwhile.
    for _ in 0..<3 {
      var record = await record() ?? GhostRecord()
      let rows = try await locationsService.fetchLocationSharing()
      let shown = rows.filter { $0.mode > .off && ($0.userID == nil || !$0.isDefault) }
      let isOnTheWay = rows.contains { $0.wayUntil != nil }
      let isDone = shown.isEmpty && !isOnTheWay
      if isDone { record.phase = .gone }
      for row in shown {
        record.remember(SharingSetting(row.mode, until: row.until), for: row.userID?.wrappedValue)
      }
      do {
        try await save(record, for: userID)
      } catch {
        // Being seen by nobody matters more than coming back with one key.
        log.error("complete — not written down: \(error.logLabel)")
      }
      if isDone {
        log.info("complete — nobody sees anything")
        return rows
      }
      async let ended: Void = isOnTheWay ? locationsService.endOnMyWay() : ()
      try await hide(shown)
      try await ended
    }
    throw NetworkError.invalidResponse
  }

  /// Gives back what was shared before, as far as its time has not run out, and is no ghost then.
  ///
  /// `begin`, called meanwhile, ends it before its next step.
  ///
  /// - Throws: `NetworkError`; what was shared before stays written down for another try.
  public func end() async throws {
    let userID = try await userID()
    guard var record = await record() else { return }
    log.info("end — entries: \(record.former.count)")
    record.isReturning = true
    try await save(record, for: userID)
    for entry in record.former where entry.setting.holds(at: now()) {
      guard await self.record()?.isReturning == true else { return }
      do {
        try await locationsService.setLocationSharing(
          userID: entry.userID?.wrappedValue, mode: entry.setting.mode,
          until: entry.setting.until)
      } catch NetworkError.refused(let failure, _)
        where failure.reason == .notFound || failure.reason == .invalidArgument
      {
        // No friend any more, or its time has run out by the server's clock.
        log.info("end — an entry was refused")
      }
    }
    guard await self.record()?.isReturning == true else { return }
    try await forget(userID: userID)
  }

  /// Forgets what was shared before, since the person shares anew; a ghost that is pending, or is
  /// just coming back, stays.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be deleted.
  public func forget() async throws {
    guard let record = await record(), record.phase == .gone, !record.isReturning else { return }
    try await forget(userID: userID())
  }

  /// As above, for somebody who has just signed out; a ghost that is still pending is kept, since
  /// forgetting it would let sharing go on.
  ///
  /// - Throws: `PersistenceError.notConfigured`, `FileError` if the file cannot be deleted.
  public func signedOut(userID: UUID) async throws {
    let record = try? await persistenceService.retrieve(
      GhostRecord.self, withKey: Self.key(userID: userID))
    if record?.phase != .pending { try await forget(userID: userID) }
  }

  private func hide(_ rows: [LocationSharingRecord]) async throws {
    let failures = await withTaskGroup(of: (any Error)?.self) { group in
      for row in rows {
        let until = row.userID == nil ? nil : row.until
        group.addTask { [self] in
          do {
            // A decision with an end keeps it, so that the default holds again after it.
            try await locationsService.setLocationSharing(
              userID: row.userID?.wrappedValue, mode: .off,
              until: until.map { max($0, now().advanced(by: .seconds(60))) })
          } catch NetworkError.refused(let failure, _) where failure.reason == .notFound {
            // No friend any more, so nothing is shown.
          } catch {
            return error
          }
          return nil
        }
      }
      // One that fails does not hold up the others.
      var failures: [any Error] = []
      for await failure in group { if let failure { failures.append(failure) } }
      return failures
    }
    if let failure = failures.first { throw failure }
  }

  private func record() async -> GhostRecord? {
    guard let userID = await authService.currentUserID else { return nil }
    return try? await persistenceService.retrieve(
      GhostRecord.self, withKey: Self.key(userID: userID))
  }

  private func save(_ record: GhostRecord, for userID: UUID) async throws {
    try await persistenceService.save(record, withKey: Self.key(userID: userID))
  }

  private func forget(userID: UUID) async throws {
    try await persistenceService.delete(withKey: Self.key(userID: userID))
  }

  private func userID() async throws -> UUID {
    guard let userID = await authService.currentUserID else { throw NetworkError.signedOut }
    return userID
  }

  private static func key(userID: UUID) -> String { "ghost-\(userID.wireText)" }
}

/// How far the ghost is, and what was shared before it.
private struct GhostRecord: Codable, Sendable {
  struct Entry: Codable, Sendable {
    /// Nil for the default.
    var userID: WireID?
    var setting: SharingSetting
  }

  var phase = GhostPhase.pending
  /// Being given back now.
  var isReturning = false
  var former: [Entry] = []

  mutating func remember(_ setting: SharingSetting, for userID: UUID?) {
    former.removeAll { $0.userID?.wrappedValue == userID }
    former.append(Entry(userID: userID.map(WireID.init(wrappedValue:)), setting: setting))
  }
}
