import Foundation
import Logging
import RallyWire

/// What a store shows, as it is written down for the next first frame.
protocol StoreSnapshot: Hashable, Sendable, Codable {
  /// The name of its file, before the person's id.
  static var name: String { get }
  /// When it was fetched.
  var asOf: WireTime { get set }
}

extension StoreSnapshot {
  static func key(userID: UUID) -> String { "\(name)-\(userID.wireText)" }
}

/// Reads a store's snapshot once and writes it again when it changed, one write after the other.
@MainActor
final class SnapshotWriter<Snapshot: StoreSnapshot> {
  private let authService: AuthService
  private let persistenceService: PersistenceService
  /// An unchanged snapshot is written again after this long, for its time alone.
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

  /// What the signed-in person saw last; nil when nothing is known of it.
  func read() async -> Snapshot? {
    guard let userID = await authService.currentUserID else { return nil }
    let snapshot = try? await persistenceService.retrieve(
      Snapshot.self, withKey: Snapshot.key(userID: userID))
    if saved == nil { saved = snapshot }
    return snapshot
  }

  /// Writes in the background, unless the file says the same already.
  func save(_ snapshot: Snapshot) {
    if var known = saved, snapshot.asOf.since(known.asOf) < savePause {
      known.asOf = snapshot.asOf
      if known == snapshot { return }
    }
    saved = snapshot
    let earlier = saving
    saving = Task { [persistenceService, authService, log] in
      await earlier?.value
      guard let userID = await authService.currentUserID else { return }
      do {
        try await persistenceService.save(snapshot, withKey: Snapshot.key(userID: userID))
      } catch {
        log.error("save — \(Snapshot.name) failed: \(error.logLabel)")
      }
    }
  }

  /// Returns once everything is written.
  func finish() async { await saving?.value }
}
