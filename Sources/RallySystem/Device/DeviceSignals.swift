import CNetlink
import Dispatch
import Glibc
import Logging
import Synchronization

/// Monitors temperature, battery, power profile and network.
///
/// Follows the kernel and the services of the system bus where they report changes. Otherwise it
/// polls every 10 to 30 s, and not at all if the machine has no such source. All of it runs on a
/// queue of its own, since reading a sysfs attribute can be slow.
public final class DeviceSignals: Sendable {
  /// What is read again and again, since nothing reports its changes.
  enum Poll: CaseIterable {
    case heat
    /// Batteries without UPower, and a platform profile without notifications.
    case power
    /// Only if netlink notifications about routes are not available.
    case routes

    fileprivate var interval: DispatchTimeInterval {
      switch self {
      case .heat: .seconds(10)
      case .power: .seconds(30)
      case .routes: .seconds(15)
      }
    }
  }

  /// How long the first readings wait for services; later answers are changes.
  private static let firstWait = Duration.milliseconds(200)

  private let roots: DeviceRoots
  private let routes: RouteSource
  private let queue = DispatchQueue(label: "rally.device-signals", qos: .utility)
  private let log = RallyLog.logger("Signals")
  private let senses: Mutex<DeviceSignalReader>
  private let published = Mutex(DeviceReadings())
  private let watch = Mutex(ChangeObserver())

  public convenience init(roots: DeviceRoots = DeviceRoots(), serverReach: ServerReach) {
    self.init(roots: roots, serverReach: serverReach, routes: .kernel)
  }

  init(roots: DeviceRoots, serverReach: ServerReach, routes: RouteSource) {
    senses = Mutex(DeviceSignalReader(roots: roots, serverReach: serverReach, routes: routes))
    self.routes = routes
    self.roots = roots
  }

  deinit { stop() }

  /// The last readings; empty before the first one.
  public var latest: DeviceReadings { published.withLock { $0 } }

  /// Starts monitoring. The stream yields the first readings, then every change.
  ///
  /// Calling it again ends the stream of the call before.
  public func start() -> AsyncStream<DeviceReadings> {
    stop()
    let (stream, continuation) = AsyncStream.makeStream(
      of: DeviceReadings.self, bufferingPolicy: .bufferingNewest(1))
    let session = watch.withLock { watch in
      watch.continuation = continuation
      return watch.session
    }
    queue.async { [self] in begin(session) }
    return stream
  }

  /// Stops monitoring and ends the stream.
  public func stop() {
    let ended = watch.withLock { watch in
      let ended = watch
      watch = ChangeObserver(session: ended.session + 1)
      return ended
    }
    ended.sources.forEach { $0.source.cancel() }
    ended.polls.values.forEach { $0.source.cancel() }
    ended.buses?.stop()
    ended.continuation?.finish()
  }

  /// Reads all signals now. Blocks for some milliseconds.
  @discardableResult
  public func look(at now: ContinuousClock.Instant = .now) -> DeviceReadings {
    sense { $0.look(at: now) }
    return latest
  }

  /// Reads all signals now and asks the services of the buses, which takes at most two seconds.
  public func examine() async -> DeviceReadings {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        let buses = makeBuses {}
        buses.start(waiting: .seconds(1))
        senses.withLock { $0.take(buses.answers, problem: buses.problem) }
        buses.stop()
        continuation.resume(returning: look())
      }
    }
  }

  // MARK: - Watching

  /// The number of running timers and listeners; 0 if the machine has nothing to monitor.
  var sourceCount: Int { watch.withLock { $0.sources.count + $0.polls.count } }

  /// What is polled at present.
  var polls: Set<Poll> { watch.withLock { Set($0.polls.keys) } }

  private struct ChangeObserver {
    /// Identifies the call of `start`.
    var session = 0
    var continuation: AsyncStream<DeviceReadings>.Continuation?
    var sources: [WatchSource] = []
    var polls: [Poll: WatchSource] = [:]
    var buses: SignalBuses?
    /// Whether the kernel reports changes.
    var isReported = (routes: false, profile: false)
    var debouncer = Debouncer()
  }

  private func begin(_ session: Int) {
    // Listeners start before the first reading, so that no change in between is missed.
    let needs = senses.withLock { (routes: $0.needsNetwork, profile: $0.profilePath) }
    let isReported = (
      routes: !needs.routes || listenToRoutes(session),
      profile: listenToProfile(needs.profile, session)
    )
    let buses = makeBuses { [weak self] in self?.busesChanged(session) }
    let isCurrent = watch.withLock { watch in
      guard watch.session == session else { return false }
      watch.isReported = isReported
      watch.buses = buses
      return true
    }
    guard isCurrent else { return }
    buses.start(waiting: Self.firstWait)
    senses.withLock { $0.take(buses.answers, problem: buses.problem) }
    updatePolls(session)
    // The first readings are published even if they are all nil.
    sense({ $0.look(at: .now) }, isFirst: true)
  }

  private func makeBuses(_ onChange: @escaping @Sendable () -> Void) -> SignalBuses {
    SignalBuses(
      roots, needsNetwork: senses.withLock { $0.needsNetwork }, queue: queue, onChange: onChange)
  }

  private func busesChanged(_ session: Int) {
    guard let buses = watch.withLock({ $0.session == session ? $0.buses : nil }) else { return }
    sense { $0.take(buses.answers, problem: buses.problem) }
    updatePolls(session)
  }

  /// Starts and ends the timers, since a service that comes makes some of them needless.
  private func updatePolls(_ session: Int) {
    let isReported = watch.withLock { $0.isReported }
    let wanted: [Poll: Bool] = senses.withLock { senses in
      [
        .heat: senses.hasHeat,
        .power: senses.hasUnreportedBattery || (senses.hasProfile && !isReported.profile),
        .routes: !isReported.routes,
      ]
    }
    watch.withLock { watch in
      guard watch.session == session else { return }
      for (poll, isWanted) in wanted where isWanted != (watch.polls[poll] != nil) {
        watch.polls.removeValue(forKey: poll)?.source.cancel()
        if isWanted { watch.polls[poll] = WatchSource(source: timer(for: poll)) }
      }
    }
  }

  private func timer(for poll: Poll) -> any DispatchSourceProtocol {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + poll.interval, repeating: poll.interval, leeway: .milliseconds(400))
    timer.setEventHandler { [weak self] in
      self?.sense { senses in
        switch poll {
        case .heat: senses.lookAtHeat(at: .now)
        case .power: senses.lookAtPower()
        case .routes: senses.lookAtNetwork()
        }
      }
    }
    timer.activate()
    return timer
  }

  private func listenToRoutes(_ session: Int) -> Bool {
    let socket = routes.listen()
    guard socket >= 0 else { return false }
    let debounceTimer = DispatchSource.makeTimerSource(queue: queue)
    debounceTimer.schedule(deadline: .distantFuture)
    debounceTimer.setEventHandler { [weak self] in
      self?.watch.withLock { $0.debouncer.looked() }
      self?.sense { $0.lookAtNetwork() }
    }
    keep(debounceTimer, session)
    let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
    source.setEventHandler { [weak self] in
      guard let self else { return source.cancel() }
      guard rally_netlink_drain(socket) >= 0 else {
        source.cancel()
        watch.withLock { $0.isReported.routes = false }
        return updatePolls(session)
      }
      let now = ContinuousClock.now
      let due = watch.withLock { $0.debouncer.note(at: now) }
      let wait = (due - now).components
      debounceTimer.schedule(
        deadline: .now()
          + .nanoseconds(Int(wait.seconds * 1_000_000_000 + wait.attoseconds / 1_000_000_000)))
    }
    source.setCancelHandler { close(socket) }
    keep(source, session)
    return true
  }

  /// sysfs signals a new profile with `POLLPRI` on the open attribute; reading it acknowledges.
  private func listenToProfile(_ path: String, _ session: Int) -> Bool {
    let attribute = open(path, O_RDONLY | O_CLOEXEC)
    guard attribute >= 0 else { return false }
    let priority = rally_priority_watch(attribute)
    guard priority >= 0 else {
      close(attribute)
      return false
    }
    _ = AttributeReader.text(of: attribute)
    let source = DispatchSource.makeReadSource(fileDescriptor: priority, queue: queue)
    source.setEventHandler { [weak self] in
      _ = AttributeReader.text(of: attribute)
      self?.sense { $0.lookAtPower() }
    }
    source.setCancelHandler {
      close(priority)
      close(attribute)
    }
    keep(source, session)
    return true
  }

  /// Keeps a source until its session ends.
  private func keep(_ source: any DispatchSourceProtocol, _ session: Int) {
    let kept = WatchSource(source: source)
    source.activate()
    let isCurrent = watch.withLock { watch in
      guard watch.session == session else { return false }
      watch.sources.append(kept)
      return true
    }
    if !isCurrent { source.cancel() }
  }

  // MARK: - Publishing

  /// Reads signals, stores them, and publishes them if they changed.
  private func sense(_ look: (inout DeviceSignalReader) -> Void, isFirst: Bool = false) {
    let readings = senses.withLock { senses in
      look(&senses)
      return senses.readings
    }
    let isChanged = published.withLock { published in
      defer { published = readings }
      return isFirst || !readings.hasSameValues(as: published)
    }
    guard isChanged else { return }
    log.info("changed — \(readings)")
    watch.withLock { $0.continuation }?.yield(readings)
  }
}

/// Makes a dispatch source `Sendable`.
///
/// Safe: libdispatch documents its objects as usable from any thread, the reference is constant,
/// and only `cancel` is called through it. The Linux overlay just lacks the annotation.
private struct WatchSource: @unchecked Sendable {
  let source: any DispatchSourceProtocol
}
