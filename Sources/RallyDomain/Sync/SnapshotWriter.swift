import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

/// The data of a store as it is cached for the first frame of the next run.
protocol StoreSnapshot: Hashable, Sendable, Codable {
  /// The prefix of its key, before the user's id.
  static var name: String { get }
  /// When it was fetched.
  var asOf: WireTime { get set }
}

extension StoreSnapshot {
  static func key(userID: UUID) -> String { "\(name)-\(userID.wireText)" }
}

/// Reads a store's snapshot, and writes it when it changed, one write at a time.
@MainActor
final class SnapshotWriter<Snapshot: StoreSnapshot> {
  private let authService: AuthService
  private let persistenceService: PersistenceService
  /// An unchanged snapshot is written again after this long, to update its time.
  private let savePause: Duration
  private var saved: Snapshot?
  private var saving: Task<Void, Never>?
  private let log = RallyLog.logger("Snapshot")

  init(
    authService: AuthService, persistenceService: PersistenceService, savePause: Duration
  ) {
    self.authService = authService
    self.persistenceService = persistenceService
    self.savePause = savePause
  }

  /// The signed-in user's snapshot; nil if there is none.
  func read() async -> Snapshot? {
    guard let userID = await authService.currentUserID else { return nil }
    let snapshot = try? await persistenceService.retrieve(
      Snapshot.self, withKey: Snapshot.key(userID: userID))
    if saved == nil { saved = snapshot }
    return snapshot
  }

  /// Writes in the background, unless the file has the same content.
  func save(_ snapshot: Snapshot) {
    if var known = saved, known.asOf.isRecent(within: savePause, at: snapshot.asOf) {
      known.asOf = snapshot.asOf
      if known == snapshot { return }
    }
    saved = snapshot
    let earlier = saving
    saving = Task { [persistenceService, authService, log] in
      await earlier?.value
      guard let userID = await authService.currentUserID else { return }
      do {
        let key = Snapshot.key(userID: userID)
        try await persistenceService.save(snapshot, withKey: key)
        // Signing out meanwhile may have deleted the file before this wrote it.
        if await authService.currentUserID != userID {
          try await persistenceService.delete(withKey: key)
        }
      } catch {
        log.error("save — \(Snapshot.name) failed: \(error.logLabel)")
      }
    }
  }

  /// Returns once everything is written.
  func finish() async { await saving?.value }
}
