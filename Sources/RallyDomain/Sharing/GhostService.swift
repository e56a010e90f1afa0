import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

/// Being seen by nobody, as the server keeps it with the account, and coming back to what is shared.
///
/// The request is written down before it is sent, and the file goes once the server has agreed. A
/// ghost that could not reach it is finished by the next run that can. A machine on which nothing
/// can be written hides its person all the same, as long as the server is reached.
public final class GhostService: Sendable {
  /// A service without a server and without a file.
  static func inert() -> GhostService {
    let client = SupabaseClient()
    return GhostService(
      authService: AuthService(client: client), locationsService: LocationsService(client: client),
      persistenceService: PersistenceService())
  }

  private let authService: AuthService
  private let locationsService: LocationsService
  private let persistenceService: PersistenceService
  private let now: @Sendable () -> WireTime
  private let log = RallyLog.logger("Ghost")

  /// - Parameter persistenceService: Where the request is written down, in the state folder.
  public init(
    authService: AuthService, locationsService: LocationsService,
    persistenceService: PersistenceService, now: @escaping @Sendable () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.locationsService = locationsService
    self.persistenceService = persistenceService
    self.now = now
  }

  /// What a ghost is on a server without ghosts, in a sentence or two.
  public static let withoutServer =
    "Nobody sees you: this server knows no ghosts, so all that you shared is off. Share anew to be"
    + " seen."

  /// Whether the signed-in person wants to be a ghost and the server may not have agreed yet.
  public func isPending() async -> Bool { await record() != nil }

  /// How far the signed-in person is; nil when they are no ghost.
  ///
  /// - Parameter rows: What the server says of my sharing.
  public func phase(by rows: [LocationSharingRecord]) async -> GhostPhase? {
    if await isPending() { return .pending }
    return rows.isGhost ? .gone : nil
  }

  /// One element whenever a request, or another file beside it, may have changed, also by another
  /// process of this profile.
  func changes() -> AsyncStream<Void> { persistenceService.changes() }

  /// Notes that the person wants to be a ghost; sends nothing, so it works offline.
  ///
  /// - Throws: `NetworkError.signedOut`, or `FileError` if it cannot be written: then `complete`
  ///   hides them as well, but nothing tries it again after the end of this program.
  public func begin() async throws {
    let userID = try await userID()
    try await persistenceService.save(
      await record() ?? GhostRecord(), withKey: Self.key(userID: userID))
    log.info("begin — noted")
  }

  /// Has the server hide the person from everybody, and checks that it does.
  ///
  /// A server without ghosts gets the decision that nothing is shared; `isGhost` of the rows is
  /// false then.
  ///
  /// - Returns: What holds afterwards.
  /// - Throws: `NetworkError`; then somebody may still see something and the request stays.
  public func complete() async throws -> [LocationSharingRecord] {
    let userID = try await userID()
    log.info("complete — start")
    do {
      try await locationsService.setGhost(true)
    } catch NetworkError.refused(let failure, _) where failure.isUnknownFunction {
      return try await turnAllOff(for: userID)
    }
    try await giveBackFormer()
    let rows = try await locationsService.fetchLocationSharing()
    guard rows.isGhost else { throw NetworkError.invalidResponse }
    await forgetRequest(userID: userID)
    log.info("complete — nobody sees anything")
    return rows
  }

  /// Ends the ghost: what is shared counts again. A request that was not sent yet ends without it.
  ///
  /// - Throws: `NetworkError`, `FileError` if the request cannot be deleted; then the person is a ghost.
  public func end() async throws {
    let userID = try await userID()
    let wasPending = await isPending()
    log.info("end — pending: \(wasPending)")
    // First, since a request that stays would hide them again.
    if wasPending { try await forget(userID: userID) }
    do {
      try await locationsService.setGhost(false)
    } catch NetworkError.refused(let failure, _) where failure.isUnknownFunction {
    } catch {
      guard wasPending else { throw error }
      log.info("end — the server was not told: \(error.logLabel)")
    }
  }

  /// Turns all off on a server of an earlier version, which has no ghosts.
  private func turnAllOff(for userID: UUID) async throws -> [LocationSharingRecord] {
    var rows = try await locationsService.fetchLocationSharing()
    if rows.contains(where: { $0.wayUntil != nil }) { try await locationsService.endOnMyWay() }
    for row in rows where row.mode > .off && (row.userID == nil || !row.isDefault) {
      do {
        try await locationsService.setLocationSharing(
          userID: row.userID, mode: .off)
      } catch NetworkError.refused(let failure, _) where failure.reason == .notFound {
        // No friend any more, so nothing is shown.
      }
    }
    rows = try await locationsService.fetchLocationSharing()
    guard rows.allSatisfy({ $0.mode == .off }) else { throw NetworkError.invalidResponse }
    await forgetRequest(userID: userID)
    return rows
  }

  /// Gives the server what an earlier version of Rally turned off and remembered; it counts once the
  /// ghost ends. What the server refuses is a friend who left.
  ///
  /// - Throws: `NetworkError` other than a refusal; the request stays, and is tried again.
  private func giveBackFormer() async throws {
    for entry in await record()?.former ?? [] where entry.setting.holds(at: now()) {
      do {
        try await locationsService.setLocationSharing(
          userID: entry.userID, mode: entry.setting.mode,
          until: entry.setting.until, endsGhost: false)
      } catch NetworkError.refused(let failure, _) {
        log.info("giveBackFormer — an entry was refused: \(failure.logLabel)")
      }
    }
  }

  private func record() async -> GhostRecord? {
    guard let userID = await authService.currentUserID else { return nil }
    // The store of the files reports that one cannot be read. The server keeps ghosts.
    return try? await persistenceService.retrieve(
      GhostRecord.self, withKey: Self.key(userID: userID))
  }

  private func forgetRequest(userID: UUID) async {
    do {
      try await forget(userID: userID)
    } catch {
      // It is sent again; being seen by nobody matters more.
      log.error("complete — the request stays: \(error.logLabel)")
    }
  }

  private func forget(userID: UUID) async throws {
    do {
      try await persistenceService.delete(withKey: Self.key(userID: userID))
    } catch PersistenceError.notConfigured {}
  }

  private func userID() async throws -> UUID {
    guard let userID = await authService.currentUserID else { throw NetworkError.signedOut }
    return userID
  }

  static func key(userID: UUID) -> String { "ghost-\(userID.wireText)" }
}

/// The request to be a ghost.
private struct GhostRecord: Codable, Sendable {
  struct Entry: Codable, Sendable {
    /// Nil for the default.
    var userID: UUID?
    var setting: SharingSetting
  }

  /// What an earlier version, for which a ghost was nothing that the server knew, gives back.
  var former: [Entry]?
}

extension [LocationSharingRecord] {
  /// Whether the server keeps me as a ghost.
  public var isGhost: Bool { contains(where: { $0.isGhost == true }) }
}
