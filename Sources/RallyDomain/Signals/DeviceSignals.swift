import CNetlink
import Dispatch
import Glibc
import Logging
import Synchronization

/// Watches what constrains the device: heat, battery, power profile and network.
///
/// Where the kernel tells of a change it is listened to; else there is a look now and then, and
/// none where the machine has no such source. All of it happens on a queue of its own, since an
/// attribute of sysfs can take its time.
public final class DeviceSignals: Sendable {
  private static let heatInterval = DispatchTimeInterval.seconds(10)
  private static let batteryInterval = DispatchTimeInterval.seconds(30)
  /// Only where the kernel's messages about routes cannot be had.
  private static let routeInterval = DispatchTimeInterval.seconds(15)

  private let routes: RouteSource
  private let queue = DispatchQueue(label: "rally.device-signals", qos: .utility)
  private let log = RallyLog.logger("Signals")
  private let senses: Mutex<DeviceSenses>
  private let published = Mutex(DeviceReadings())
  private let watch = Mutex(Watch())

  public convenience init(roots: DeviceRoots = DeviceRoots(), serverReach: ServerReach) {
    self.init(roots: roots, serverReach: serverReach, routes: .kernel)
  }

  init(roots: DeviceRoots, serverReach: ServerReach, routes: RouteSource) {
    senses = Mutex(DeviceSenses(roots: roots, serverReach: serverReach, routes: routes))
    self.routes = routes
  }

  deinit { stop() }

  /// What was read last; empty before the first look.
  public var latest: DeviceReadings { published.withLock { $0 } }

  /// Begins to watch; the stream carries the first readings and then every change.
  ///
  /// A second start ends the stream of the first.
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

  /// Ends watching and the stream.
  public func stop() {
    let ended = watch.withLock { watch in
      let ended = watch
      watch = Watch(session: ended.session + 1)
      return ended
    }
    ended.sources.forEach { $0.source.cancel() }
    ended.continuation?.finish()
  }

  /// Looks at everything now and gives what it saw. Blocks for some milliseconds.
  @discardableResult
  public func look(at now: ContinuousClock.Instant = .now) -> DeviceReadings {
    sense { $0.look(at: now) }
    return latest
  }

  // MARK: - Watching

  /// How many timers and listeners run: none where the machine has nothing to watch.
  var sourceCount: Int { watch.withLock { $0.sources.count } }

  private struct Watch {
    /// Tells one start from the next.
    var session = 0
    var continuation: AsyncStream<DeviceReadings>.Continuation?
    var sources: [WatchSource] = []
    var settling = Settling()
  }

  private func begin(_ session: Int) {
    let (hasHeat, hasBattery, hasProfile, profilePath, needsNetwork) = senses.withLock {
      ($0.hasHeat, $0.hasBattery, $0.hasProfile, $0.profilePath, $0.needsNetwork)
    }
    // The listeners come first, so that nothing happens unseen between the look and them.
    if needsNetwork, !listenToRoutes(session) {
      repeating(DeviceSignals.routeInterval, session) { $0.lookAtNetwork() }
    }
    let isTold = hasProfile && listenToProfile(profilePath, session)
    if hasHeat { repeating(DeviceSignals.heatInterval, session) { $0.lookAtHeat(at: .now) } }
    if hasBattery || (hasProfile && !isTold) {
      repeating(DeviceSignals.batteryInterval, session) { $0.lookAtPower() }
    }
    // The first readings are news even when they say nothing.
    sense({ $0.look(at: .now) }, isFirst: true)
  }

  private func repeating(
    _ interval: DispatchTimeInterval, _ session: Int,
    look: @escaping @Sendable (inout DeviceSenses) -> Void
  ) {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(400))
    timer.setEventHandler { [weak self] in self?.sense(look) }
    keep(timer, session)
  }

  private func listenToRoutes(_ session: Int) -> Bool {
    let socket = routes.listen()
    guard socket >= 0 else { return false }
    let settled = DispatchSource.makeTimerSource(queue: queue)
    settled.schedule(deadline: .distantFuture)
    settled.setEventHandler { [weak self] in
      self?.watch.withLock { $0.settling.looked() }
      self?.sense { $0.lookAtNetwork() }
    }
    keep(settled, session)
    let news = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
    news.setEventHandler { [weak self] in
      guard let self else { return news.cancel() }
      guard rally_netlink_drain(socket) >= 0 else {
        news.cancel()
        return repeating(DeviceSignals.routeInterval, session) { $0.lookAtNetwork() }
      }
      let now = ContinuousClock.now
      let due = watch.withLock { $0.settling.note(at: now) }
      let wait = (due - now).components
      settled.schedule(
        deadline: .now()
          + .nanoseconds(Int(wait.seconds * 1_000_000_000 + wait.attoseconds / 1_000_000_000)))
    }
    news.setCancelHandler { close(socket) }
    keep(news, session)
    return true
  }

  /// sysfs tells of a new profile by urgent news on the open attribute; reading it acknowledges.
  private func listenToProfile(_ path: String, _ session: Int) -> Bool {
    let attribute = open(path, O_RDONLY | O_CLOEXEC)
    guard attribute >= 0 else { return false }
    let priority = rally_priority_watch(attribute)
    guard priority >= 0 else {
      close(attribute)
      return false
    }
    _ = AttributeReader.text(of: attribute)
    let news = DispatchSource.makeReadSource(fileDescriptor: priority, queue: queue)
    news.setEventHandler { [weak self] in
      _ = AttributeReader.text(of: attribute)
      self?.sense { $0.lookAtPower() }
    }
    news.setCancelHandler {
      close(priority)
      close(attribute)
    }
    keep(news, session)
    return true
  }

  /// Lets a source run for as long as its session does.
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

  /// Looks, keeps what was seen, and tells of it if it is news.
  private func sense(_ look: (inout DeviceSenses) -> Void, isFirst: Bool = false) {
    let readings = senses.withLock { senses in
      look(&senses)
      return senses.readings
    }
    let isNews = published.withLock { published in
      defer { published = readings }
      return isFirst || !readings.isSameNews(as: published)
    }
    guard isNews else { return }
    log.info("changed — \(readings)")
    watch.withLock { $0.continuation }?.yield(readings)
  }
}

/// A dispatch source that crosses threads.
///
/// Safe: libdispatch documents its objects as usable from any thread, the reference is constant,
/// and all that is called through it is `cancel`; the Linux overlay only lacks the annotation.
private struct WatchSource: @unchecked Sendable {
  let source: any DispatchSourceProtocol
}
