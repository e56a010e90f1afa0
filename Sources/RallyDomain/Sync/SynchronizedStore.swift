import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire

/// A store whose data comes from the server: what its `StoreSynchronizer` asks of it.
@MainActor
protocol SynchronizedStore: FailurePresenting {
  associatedtype Fetched
  associatedtype Snapshot: StoreSnapshot

  /// The title of a failed fetch: `Friends could not be fetched`.
  var fetchFailureTitle: String { get }
  /// Whether the events of its channel bring each row that changes, so that nothing is fetched after
  /// a change while it is live.
  var takesEvents: Bool { get }
  /// Fetches everything that the store shows. It runs again if an intent was answered meanwhile.
  func fetch() async throws -> Fetched
  /// Shows what was fetched.
  func commit(_ fetched: Fetched)
  /// Shows what an earlier run cached.
  func restore(_ snapshot: Snapshot)
  /// What to cache; nil if there is nothing.
  func snapshot(asOf: WireTime) -> Snapshot?
  /// Fetches in the background, after hints.
  func reconcile() async
  /// Fetches in the background, while polling.
  func poll() async
  /// Reacts to the state of the realtime channel.
  func realtimeChanged(_ state: RealtimeState)
  /// Reacts to the failure of the newest fetch.
  ///
  /// - Returns: Whether it is presented to a user who waits for the fetch.
  func fetchFailed(_ error: any Error) -> Bool
}

/// The state of a store's realtime channel.
enum RealtimeState {
  case live, interrupted, stopped
}

extension SynchronizedStore {
  var takesEvents: Bool { false }
  func realtimeChanged(_ state: RealtimeState) {}
  func poll() async { await reconcile() }
  func fetchFailed(_ error: any Error) -> Bool { true }
}

/// Reads a realtime service's events from `start` to `stop`.
///
/// A start soon after a stop waits until the channel was left, so that the leave does not end the
/// new subscription. Ends when it is released.
@MainActor
final class RealtimeListening {
  private var listening: Task<Void, Never>?
  private var leaving: Task<Void, Never>?

  deinit { listening?.cancel() }

  /// - Parameters:
  ///   - listen: Joins the channel; a failure is ignored.
  ///   - receive: Takes each event; it must not retain the owner.
  /// - Returns: False if it was started already.
  func start<Event: Sendable>(
    _ listen: @escaping @Sendable () async throws -> AsyncStream<Event>,
    receive: @escaping @MainActor (Event) -> Void
  ) -> Bool {
    guard listening == nil else { return false }
    listening = Task { [leaving] in
      await leaving?.value
      guard !Task.isCancelled, let events = try? await listen() else { return }
      for await event in events {
        guard !Task.isCancelled else { return }
        receive(event)
      }
    }
    return true
  }

  /// - Parameter leave: Leaves the channel; later events are not received.
  /// - Returns: False if it was not started.
  func stop(_ leave: @escaping @Sendable () async -> Void) -> Bool {
    guard let listening else { return false }
    listening.cancel()
    self.listening = nil
    leaving = Task { await leave() }
    return true
  }
}

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
