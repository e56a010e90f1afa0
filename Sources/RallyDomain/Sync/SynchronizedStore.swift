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
