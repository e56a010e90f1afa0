import FoundationEssentials
import Logging
import RallySystem
import RallyWire

/// The functions that a realtime connection needs from the client.
struct RealtimeSource: Sendable {
  var open: @Sendable () async throws -> SocketLink
  /// An access token; another one than the rejected one, if any.
  var token: @Sendable (_ rejected: String?) async throws -> AccessToken
  var sessionEvents: @Sendable () -> AsyncStream<SessionEvent>
  var isSignedIn: @Sendable () async -> Bool
}

/// The WebSocket to the server: performs what `RealtimeProtocol` decides.
public actor RealtimeConnection {
  private let source: RealtimeSource
  private var rules = RealtimeProtocol()
  private var isStarted = false
  private var socket: SocketLink?
  /// Increases with every socket, so that events of an earlier one are ignored.
  private var generation = 0
  private var token: AccessToken?
  private var timer: Task<Void, Never>?
  private var timerDeadline: Duration?
  private var sessionTask: Task<Void, Never>?
  private var subscribers: [String: AsyncStream<ChannelEvent>.Continuation] = [:]
  private var linkListeners: [UUID: AsyncStream<LinkState>.Continuation] = [:]
  private var wakeListeners: [UUID: AsyncStream<Void>.Continuation] = [:]
  private var link = LinkState.signedOut
  private let log = RallyLog.logger("Realtime")

  init(source: RealtimeSource) { self.source = source }

  deinit {
    timer?.cancel()
    sessionTask?.cancel()
    socket?.close()
  }

  /// Connects, and stays connected while a user is signed in; a second call does nothing.
  public func start() async {
    guard !isStarted else { return }
    isStarted = true
    let events = source.sessionEvents()
    sessionTask = Task { [weak self] in
      for await event in events { await self?.session(event) }
    }
    if await source.isSignedIn() { handle(.start) }
  }

  /// Closes the connection and forgets the joined channels.
  public func stop() {
    isStarted = false
    sessionTask?.cancel()
    sessionTask = nil
    handle(.stop)
    endSubscriptions()
  }

  /// Joins a channel and stays in it, over every reconnect, until `leave`.
  ///
  /// A second call for the same topic takes the events over: the first stream ends.
  public func join(_ topic: String, _ configuration: ChannelConfiguration) async
    -> AsyncStream<ChannelEvent>
  {
    await start()
    let (stream, continuation) = AsyncStream.makeStream(of: ChannelEvent.self)
    let isTakenOver =
      subscribers.updateValue(continuation, forKey: topic).map { $0.finish() } != nil
    // The new reader missed the events of the old one: join again, so that it gets `live`.
    if isTakenOver { handle(.leave(topic: topic)) }
    handle(.join(topic: topic, configuration))
    return stream
  }

  public func leave(_ topic: String) {
    subscribers.removeValue(forKey: topic)?.finish()
    handle(.leave(topic: topic))
  }

  /// The state of the link, starting with the current one.
  public func linkStates() -> AsyncStream<LinkState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LinkState.self, bufferingPolicy: .bufferingNewest(8))
    let id = UUID()
    linkListeners[id] = continuation
    continuation.onTermination = { [weak self] _ in Task { await self?.forget(id) } }
    continuation.yield(link)
    return stream
  }

  private func forget(_ listener: UUID) {
    linkListeners[listener] = nil
    wakeListeners[listener] = nil
  }

  /// Connects now instead of at the next attempt; an open link is probed.
  public func retryNow() { handle(.retryNow) }

  /// One element each time the machine has resumed from sleep.
  public func wakes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let id = UUID()
    wakeListeners[id] = continuation
    continuation.onTermination = { [weak self] _ in Task { await self?.forget(id) } }
    return stream
  }

  // MARK: - Events

  private func session(_ event: SessionEvent) async {
    switch event {
    case .ended:
      handle(.stop)
      endSubscriptions()
    case .signedIn: handle(.start)
    case .accountChanged:
      handle(.stop)
      endSubscriptions()
      handle(.start)
    case .refreshed: await fetchToken(rejected: nil)
    }
  }

  private func endSubscriptions() {
    token = nil
    for subscriber in subscribers.values { subscriber.finish() }
    subscribers = [:]
  }

  private func handle(_ event: RealtimeProtocol.Event) {
    for action in rules.handle(event, at: .now) { perform(action) }
    scheduleTimer()
  }

  private func perform(_ action: RealtimeProtocol.Action) {
    switch action {
    case .open: open()
    case .close:
      generation += 1
      socket?.close()
      socket = nil
    case .send(let message):
      if let text = try? WireJSON.text(message) { socket?.send(text) }
    case .deliver(let topic, let event):
      if event == .live || event == .gap { log.info("\(topic) — \(event)") }
      subscribers[topic]?.yield(event)
    case .renewToken(let isRejected):
      let rejected = isRejected ? token?.text : nil
      Task { [weak self] in await self?.fetchToken(rejected: rejected) }
    case .link(let state):
      log.info("link — \(state.label)")
      link = state
      for listener in linkListeners.values { listener.yield(state) }
    case .woke:
      log.info("the machine slept")
      for listener in wakeListeners.values { listener.yield() }
    }
  }

  private func fetchToken(rejected: String?) async {
    do {
      let fresh = try await source.token(rejected)
      token = fresh
      handle(.token(fresh))
    } catch {
      log.info("token — failed: \(error.logLabel)")
      handle(.tokenFailed)
    }
  }

  private func open() {
    generation += 1
    let attempt = generation
    Task { [weak self, source] in
      do {
        let socket = try await source.open()
        guard let self else { return socket.close() }
        await self.opened(socket, attempt)
      } catch {
        await self?.failed(error, attempt)
      }
    }
  }

  private func opened(_ socket: SocketLink, _ attempt: Int) {
    guard attempt == generation else { return socket.close() }
    self.socket = socket
    handle(.opened)
    Task { [weak self] in
      for await text in socket.incoming {
        guard let message = RealtimeMessage(text: text) else { continue }
        guard let self else { return socket.close() }
        await self.received(message, attempt)
      }
      await self?.closed(attempt)
    }
  }

  private func received(_ message: RealtimeMessage, _ attempt: Int) {
    guard attempt == generation else { return }
    handle(.received(message))
  }

  private func closed(_ attempt: Int) {
    guard attempt == generation else { return }
    socket = nil
    handle(.closed)
  }

  private func failed(_ error: any Error, _ attempt: Int) {
    guard attempt == generation else { return }
    log.info("open — failed: \(error.logLabel)")
    handle(.openFailed(error.linkReason))
  }

  // MARK: - Timer

  private func scheduleTimer() {
    let deadline = rules.deadline
    guard deadline != timerDeadline else { return }
    timerDeadline = deadline
    timer?.cancel()
    timer = nil
    guard let deadline else { return }
    timer = Task { [weak self] in
      do {
        try await DispatchSleep.for(
          RealtimeProtocol.Time.origin + deadline - SuspendingClock.now,
          tolerance: .milliseconds(50))
      } catch { return }
      await self?.timerFired(deadline)
    }
  }

  private func timerFired(_ deadline: Duration) {
    guard deadline == timerDeadline else { return }
    timerDeadline = nil
    handle(.timer)
  }
}

extension RealtimeProtocol.Time {
  /// The monotonic clock's reference point.
  static let origin = SuspendingClock.now

  private static let steadyOrigin = WireTime.steady

  static var now: Self {
    let monotonic = SuspendingClock.now - origin
    return Self(
      monotonic: monotonic, wall: .now, slept: WireTime.steady.since(steadyOrigin) - monotonic)
  }
}

extension LinkState {
  /// The state as the log shows it.
  package var label: String {
    switch self {
    case .signedOut: "signed out"
    case .connecting: "connecting"
    case .live: "live"
    case .polling: "polling"
    case .stale: "stale"
    case .offline(_, let reason): "offline (\(reason))"
    }
  }
}

extension Error {
  /// The error in a few words, for the status bar.
  fileprivate var linkReason: String {
    switch self as any Error {
    case NetworkError.unreachable(let reason): reason
    case NetworkError.untrusted(let problem): problem.reason
    case NetworkError.plainText: "no TLS"
    case NetworkError.timedOut: "no answer"
    case NetworkError.http(let status), NetworkError.notTheServer(let status?): "HTTP \(status)"
    case NetworkError.notTheServer(nil): "no Rally server"
    case NetworkError.moved: "other address"
    case NetworkError.connectionLost: "connection closed"
    case NetworkError.notConfigured: "no server chosen"
    case NetworkError.embedded: "server not started"
    default: "not reached"
    }
  }
}

/// How the program is connected to its server, for the status bar.
public enum LinkState: Hashable, Sendable {
  /// Nobody is signed in, so nothing is connected.
  case signedOut
  case connecting
  /// Changes arrive as they happen.
  case live
  /// Connected, but the policy switched realtime off: lists are asked for at an interval.
  case polling
  /// The server has not answered a heartbeat; the link may be dead.
  case stale
  /// Not connected; the next attempt is at `retryAt`, and `reason` says what failed.
  case offline(retryAt: WireTime?, reason: String)

  public var isOffline: Bool { if case .offline = self { true } else { false } }

  /// Whether the server answers.
  public var isReached: Bool { self == .live || self == .polling }
}
