import FoundationEssentials
import Logging
import Observation
import RallyEnvironment
import RallySystem
import RallyWire

/// Decides when the program talks to its server.
///
/// It never calls the backend: it emits directives, and keeps a trace of why.
@MainActor
@Observable
public final class SyncCoordinator {
  // Signals
  public private(set) var preferences = SyncPreferences()
  public private(set) var isForeground = true
  public private(set) var isNetworkAvailable = true

  // Outputs
  /// Whether realtime is joined now, by the latest directive.
  public private(set) var isRealtimeOn = false
  /// Whether the map's realtime is joined now, by the latest directive.
  public private(set) var isMapRealtimeOn = false
  /// The newest entries last, at most 200.
  public private(set) var trace: [SyncTraceEntry] = []

  // Plumbing
  @ObservationIgnored private var isStarted = false
  @ObservationIgnored private var mapInterval: Duration?
  @ObservationIgnored private var lastFocus: ContinuousClock.Instant?
  /// When a focus fetched last.
  @ObservationIgnored private var lastFocusFetch: ContinuousClock.Instant?
  @ObservationIgnored private let clock: () -> ContinuousClock.Instant
  @ObservationIgnored private let queue = DirectiveQueue<SyncDirective>()
  @ObservationIgnored private let record: ([SyncTraceEntry]) -> Void
  private let log = RallyLog.logger("Sync")

  /// - Parameters:
  ///   - clock: One that nobody sets.
  ///   - record: Saves the whole trace; called after each entry.
  public init(
    clock: @escaping () -> ContinuousClock.Instant = { .now },
    record: @escaping ([SyncTraceEntry]) -> Void = { _ in }
  ) {
    self.clock = clock
    self.record = record
  }

  /// The directives; those emitted before the first reader came are kept for it.
  public func directives() -> AsyncStream<SyncDirective> { queue.directives() }

  /// Starts following the policy; a second call does nothing.
  ///
  /// - What: Joins realtime or polls, as the preferences say, sets the map's pace, fetches once.
  /// - How: Emits what `apply` finds, then `.refresh`, so that no slow response delays the link.
  /// - Why: Everything that talks to the server starts in one place and in one order.
  /// - Service Calls: None
  /// - Parameter preferences: What the runtime policy says now.
  public func start(preferences: SyncPreferences) {
    guard !isStarted else { return }
    isStarted = true
    self.preferences = preferences
    apply(cause: "start", isFirst: true)
    emit(.refresh(.start), cause: "start")
  }

  /// Emits nothing from now on, so that nothing is written for a session that was closed.
  func stop() { isStarted = false }

  /// Follows a change of the runtime policy.
  ///
  /// - What: Joins or leaves realtime, sets or ends polling, and sets the map's pace.
  /// - How: Emits the interval of polling, and a directive for each other setting that differs.
  /// - Why: The device decides how hard the program may work, also while it runs.
  /// - Service Calls: None
  /// - Parameter preferences: What the runtime policy says now.
  public func policyChanged(_ preferences: SyncPreferences) {
    guard isStarted, preferences != self.preferences else { return }
    self.preferences = preferences
    apply(cause: "policy changed")
  }

  /// The program is in the foreground again, after ^Z and fg.
  ///
  /// - What: Checks the link and fetches what was missed.
  /// - How: Emits `.checkLink` and `.refresh`, unless it was in the foreground already.
  /// - Why: A stopped program received nothing, and its socket may be closed.
  /// - Service Calls: None
  public func syncOnForeground() {
    guard isStarted, !isForeground else { return }
    isForeground = true
    emit(.checkLink, cause: "foreground")
    emit(.refresh(.foreground), cause: "foreground")
  }

  /// The terminal has the focus again.
  ///
  /// - What: Checks the link; fetches only where news do not come by themselves.
  /// - How: Emits `.checkLink`, within five seconds of the last time nothing; and without a live channel
  ///   `.refresh`, no more often than the policy's interval.
  /// - Why: Some terminals report the focus several times a second, and the program ran all the time: over
  ///   a live channel nothing was missed.
  /// - Service Calls: None
  /// - Parameter isLive: Whether changes arrive over the channel.
  public func syncOnFocus(isLive: Bool) {
    guard isStarted else { return }
    let time = clock()
    if let lastFocus, time - lastFocus < Self.focusPause { return }
    lastFocus = time
    emit(.checkLink, cause: "focus")
    guard !isLive else { return }
    if let lastFocusFetch, time - lastFocusFetch < preferences.syncInterval { return }
    lastFocusFetch = time
    emit(.refresh(.foreground), cause: "focus")
  }

  /// The terminal lost the focus: unsaved state is written.
  ///
  /// - What: Writes what is not in a file yet.
  /// - How: Emits `.saveState`.
  /// - Why: Whoever looks elsewhere may close the window next.
  /// - Service Calls: None
  public func syncOnBlur() {
    emit(.saveState, cause: "focus lost")
  }

  private static let focusPause = Duration.seconds(5)

  /// The machine slept and is awake again.
  ///
  /// - What: Checks the link, and fetches what was missed.
  /// - How: Emits `.checkLink` and `.refresh`; logind and the link report the same sleep, so a
  ///   second report within ten seconds does nothing.
  /// - Why: A machine that slept received nothing.
  /// - Service Calls: None
  public func syncOnWake() {
    let wake = SyncDirective.refresh(.wake).label
    let last = trace.last { $0.directive == wake }
    guard last?.at.isRecent(within: .seconds(10), at: .now) != true else { return }
    emit(.checkLink, cause: "wake")
    emit(.refresh(.wake), cause: "wake")
  }

  /// The machine is about to sleep: unsaved state is written.
  ///
  /// - What: Writes what is not in a file yet.
  /// - How: Emits `.saveState`; sleep is delayed until it is done.
  /// - Why: A battery may end during the sleep.
  /// - Service Calls: None
  public func syncOnSleep() {
    emit(.saveState, cause: "sleep")
  }

  /// The program is about to stop: unsaved state is written.
  ///
  /// - What: Writes what is not in a file yet.
  /// - How: Emits `.saveState`, unless it was in the background already.
  /// - Why: A stopped program may be ended without another turn.
  /// - Service Calls: None
  public func syncOnBackground() {
    guard isStarted, isForeground else { return }
    isForeground = false
    emit(.saveState, cause: "background")
  }

  /// Follows the network; when it is back the link is checked at once and lists are fetched.
  ///
  /// - What: Checks the link and fetches, once the network is back.
  /// - How: Emits `.checkLink` and `.refresh`; nothing when it goes.
  /// - Why: Nobody should wait for the next attempt of a link that works again.
  /// - Service Calls: None
  public func networkChanged(isAvailable: Bool) {
    guard isAvailable != isNetworkAvailable else { return }
    isNetworkAvailable = isAvailable
    guard isAvailable else { return }
    emit(.checkLink, cause: "network back")
    emit(.refresh(.networkBack), cause: "network back")
  }

  /// Fetches everything again, because the user asked or an action changed data of several stores.
  ///
  /// - What: Checks the link and fetches what every store shows.
  /// - How: Emits `.checkLink` and `.refresh`.
  /// - Why: Without realtime nothing else would fetch the change now.
  /// - Service Calls: None
  public func syncOnRequest() {
    emit(.checkLink, cause: "request")
    emit(.refresh(.request), cause: "request")
  }

  private func apply(cause: String, isFirst: Bool = false) {
    if isFirst || preferences.shouldEnableSocialRealtime != isRealtimeOn {
      isRealtimeOn = preferences.shouldEnableSocialRealtime
      emit(isRealtimeOn ? .joinRealtime : .leaveRealtime, cause: cause)
    }
    emit(.poll(every: isRealtimeOn ? nil : preferences.syncInterval), cause: cause)
    if isFirst || preferences.shouldEnableMapRealtime != isMapRealtimeOn {
      isMapRealtimeOn = preferences.shouldEnableMapRealtime
      emit(isMapRealtimeOn ? .joinMapRealtime : .leaveMapRealtime, cause: cause)
    }
    if isFirst || preferences.syncInterval != mapInterval {
      mapInterval = preferences.syncInterval
      emit(.paceMap(every: preferences.syncInterval), cause: cause)
    }
  }

  /// Nothing is emitted before the start and after the stop.
  private func emit(_ directive: SyncDirective, cause: String) {
    guard isStarted else { return }
    let entry = SyncTraceEntry(at: .now, directive: directive.label, cause: cause)
    trace.append(entry)
    if trace.count > 200 { trace.removeFirst(trace.count - 200) }
    record(trace)
    log.info("\(directive.label) — cause: \(cause)")
    queue.send(directive)
  }
}

/// The parts of the runtime policy that synchronization follows.
public struct SyncPreferences: Hashable, Sendable {
  public var shouldEnableSocialRealtime = true
  public var shouldEnableMapRealtime = true
  /// The pace of the map's sync, and of the lists while their realtime is off.
  public var syncInterval = Duration.seconds(15)
}

/// What the owner of the stores and the connection has to do.
public enum SyncDirective: Hashable, Sendable {
  public enum RefreshReason: String, Hashable, Sendable {
    case start, foreground, wake, request, networkBack = "network back"
  }

  /// Fetch the lists again.
  case refresh(RefreshReason)
  case joinRealtime
  case leaveRealtime
  /// Fetch at this interval; nil ends it.
  case poll(every: Duration?)
  /// Follow friends' positions as they change.
  case joinMapRealtime
  case leaveMapRealtime
  /// Sync the map at this interval, on top of realtime or instead of it, while it is visible or
  /// something is shared.
  case paceMap(every: Duration)
  /// Probe the link, and reconnect at once if it is down.
  case checkLink
  /// Write unsaved state to files.
  case saveState

  /// The directive as the trace shows it.
  public var label: String {
    switch self {
    case .refresh(let reason): "refresh (\(reason.rawValue))"
    case .joinRealtime: "join realtime"
    case .leaveRealtime: "leave realtime"
    case .poll(let interval):
      interval.map { "poll every \($0.components.seconds) s" } ?? "stop polling"
    case .joinMapRealtime: "join map realtime"
    case .leaveMapRealtime: "leave map realtime"
    case .paceMap(let interval): "pace map every \(interval.components.seconds) s"
    case .checkLink: "check link"
    case .saveState: "save state"
    }
  }
}

/// One decision, when it was taken and why.
public struct SyncTraceEntry: Hashable, Sendable, Codable {
  public var at: WireTime
  public var directive: String
  public var cause: String
}

/// Hands a coordinator's directives to the views that carry them out. Those sent before the first
/// reader came are kept for it. The streams end with the coordinator.
@MainActor
final class DirectiveQueue<Directive: Sendable> {
  private var readers: [UUID: AsyncStream<Directive>.Continuation] = [:]
  private var early: [Directive] = []

  deinit { for reader in readers.values { reader.finish() } }

  func directives() -> AsyncStream<Directive> {
    let (stream, continuation) = AsyncStream.makeStream(of: Directive.self)
    let id = UUID()
    readers[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.readers[id] = nil }
    }
    for directive in early { continuation.yield(directive) }
    early = []
    return stream
  }

  func send(_ directive: Directive) {
    if readers.isEmpty { early.append(directive) }
    for reader in readers.values { reader.yield(directive) }
  }
}

private struct SyncCoordinatorKey: EnvironmentKey {
  @MainActor static let defaultValue = SyncCoordinator()
}

extension EnvironmentValues {
  public var syncCoordinator: SyncCoordinator {
    get { self[SyncCoordinatorKey.self] }
    set { self[SyncCoordinatorKey.self] = newValue }
  }
}
