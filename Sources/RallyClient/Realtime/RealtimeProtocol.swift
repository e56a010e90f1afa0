import RallyText
import RallyWire

/// The state machine of one realtime connection, without sockets and clocks.
///
/// Takes events with their time and returns actions; `deadline` says when `.timer` is due. A
/// heartbeat is answered within 20 s and a join within 10 s, and reconnects back off.
package struct RealtimeProtocol {
  /// A reading of the clocks.
  struct Time: Hashable, Sendable {
    /// Stands still while the machine sleeps.
    var monotonic: Duration
    var wall: WireTime
    /// How long the machine slept so far.
    var slept = Duration.zero
  }

  enum Event: Sendable {
    /// A user is signed in.
    case start
    /// No user is signed in any more.
    case stop
    case opened
    case openFailed(String)
    case closed
    case received(RealtimeMessage)
    case timer
    case join(topic: String, ChannelConfiguration)
    case leave(topic: String)
    case token(AccessToken)
    case tokenFailed
    /// Probe the link, and connect now if it is down.
    case retryNow
  }

  enum Action: Hashable, Sendable {
    case open
    case close
    case send(RealtimeMessage)
    case deliver(topic: String, ChannelEvent)
    /// The channels need a token; the present one may have been rejected.
    case renewToken(isRejected: Bool)
    case link(LinkState)
    /// The machine slept since the previous event.
    case woke
  }

  /// Two wake-ups each: the beat and its reply. A Phoenix server closes a connection that is silent
  /// for 60 s.
  package static let heartbeatInterval: Duration = .seconds(40)
  /// The shortest interval, however soon a proxy closes what is silent.
  static let shortestHeartbeatInterval: Duration = .seconds(10)
  /// Two silences before a close that differ by less are the same: a proxy's time runs out.
  static let sameSilence: Duration = .seconds(2)
  /// How long a shorter interval is tried after one close that may be chance.
  static let trial: Duration = .seconds(600)
  /// How long the reply to a heartbeat may take until the link is stale.
  static let staleAfter: Duration = .seconds(5)
  /// How long it may take until the connection is closed.
  static let lostAfter: Duration = .seconds(20)
  /// How long the reply to a probe may take.
  static let probeTimeout: Duration = .seconds(5)
  static let openTimeout: Duration = .seconds(10)
  static let joinTimeout: Duration = .seconds(10)
  /// The wait after each failure in a row, before `spread`; after more of them the last one.
  static let backoff: [Duration] = [1, 2, 5, 10, 20, 30].map { .seconds($0) }
  /// A shorter sleep leaves the connection as it was.
  static let noticedSleep: Duration = .seconds(5)
  /// The connection's token is refreshed this long before it expires.
  static let tokenMargin: Duration = .seconds(30)
  /// How long after a failed refresh the next one begins: twice within the margin.
  static let renewalRetry: Duration = .seconds(10)

  private enum Phase: Equatable {
    case stopped
    case opening(until: Duration)
    case open
    case waiting(until: Duration, retryAt: WireTime, reason: String)
  }

  private struct Heartbeat {
    var ref: JSONValue
    var sentAt: Duration
    var isProbe: Bool
  }

  private var phase = Phase.stopped
  private var channels: [String: ClientChannel] = [:]
  private var token: AccessToken?
  private var isRenewing = false
  /// When the token must be refreshed, on the monotonic clock.
  private var renewal: Duration?
  private var heartbeat: Heartbeat?
  private var nextHeartbeat: Duration = .zero
  /// Shorter than `heartbeatInterval` behind a proxy that closes silent connections sooner.
  private var interval = heartbeatInterval
  /// When a shorter interval that is only tried ends.
  private var trialEnd: Duration?
  /// When something was last sent or received.
  private var lastTraffic: Duration = .zero
  /// How long the link had been silent when it was last closed from outside.
  private var lastSilence: Duration?
  private var isStale = false
  private var attempts = 0
  private var lastRef = 0
  private var lastTime: Time?
  private var link = LinkState.signedOut
  private let random: @Sendable () -> Double

  /// - Parameter random: A number from 0 up to 1 for each use, for `spread`.
  init(random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }) {
    self.random = random
  }

  /// A wait ±50 %, so that the clients of a lost server do not come back at one moment.
  private func spread(_ wait: Duration) -> Duration { wait * (0.5 + random()) }

  /// The wait before the next attempt.
  private func wait(afterFailures count: Int) -> Duration {
    spread(Self.backoff[min(count, Self.backoff.count - 1)])
  }

  /// When `.timer` is due, on the monotonic clock; nil if nothing is pending.
  var deadline: Duration? {
    switch phase {
    case .stopped: return nil
    case .opening(let until), .waiting(let until, _, _): return until
    case .open:
      var earliest = nextHeartbeat
      if let heartbeat {
        let patience = isStale ? Self.limit(of: heartbeat) : Self.staleAfter
        earliest = min(earliest, heartbeat.sentAt + patience)
      }
      for deadline in channels.values.compactMap(\.deadline) { earliest = min(earliest, deadline) }
      if let renewal { earliest = min(earliest, renewal) }
      return earliest
    }
  }

  // MARK: - Events

  mutating func handle(_ event: Event, at now: Time) -> [Action] {
    var actions: [Action] = []
    let hasSlept = hasSlept(until: now)
    lastTime = now
    if hasSlept {
      actions.append(.woke)
      connectAnew(now, &actions)
    }
    switch event {
    case .start: if phase == .stopped { open(now, &actions) }
    case .stop: stop(&actions)
    case .opened: opened(now, &actions)
    case .openFailed(let reason): lost(now, reason, &actions)
    case .closed:
      if phase == .open {
        closed(after: now.monotonic - lastTraffic, at: now)
        lost(now, "connection closed", &actions)
      }
    case .received(let message):
      lastTraffic = now.monotonic
      receive(message, now, &actions)
    case .timer: timer(now, &actions)
    case .join(let topic, let configuration): join(topic, configuration, now, &actions)
    case .leave(let topic): leave(topic, &actions)
    case .token(let token): renewed(token, now, &actions)
    case .tokenFailed:
      isRenewing = false
      renewal = now.monotonic + Self.renewalRetry
    case .retryNow: probe(now, &actions)
    }
    updateLink(&actions)
    if actions.contains(where: { if case .send = $0 { true } else { false } }) {
      lastTraffic = now.monotonic
    }
    return actions
  }

  /// Beats sooner than a link is closed for its silence: HAProxy's example and some balancers wait
  /// 30 s. Once may be chance, and counts for a while; twice after the same silence is a rule of
  /// somebody on the way.
  private mutating func closed(after silence: Duration, at now: Time) {
    defer { lastSilence = silence }
    guard silence < interval, silence > Self.shortestHeartbeatInterval else { return }
    let isRule =
      lastSilence.map { max(silence, $0) - min(silence, $0) < Self.sameSilence } ?? false
    interval = max(Self.shortestHeartbeatInterval, silence * 0.7)
    trialEnd = isRule ? nil : now.monotonic + Self.trial
  }

  private mutating func timer(_ now: Time, _ actions: inout [Action]) {
    switch phase {
    case .stopped: break
    case .waiting(let until, _, _): if until <= now.monotonic { open(now, &actions) }
    case .opening(let until):
      if until <= now.monotonic {
        actions.append(.close)
        lost(now, "no answer", &actions)
      }
    case .open:
      if let heartbeat {
        let waited = now.monotonic - heartbeat.sentAt
        if waited >= Self.limit(of: heartbeat) {
          connectAnew(now, &actions)
          return
        }
        if waited >= Self.staleAfter { isStale = true }
      }
      if nextHeartbeat <= now.monotonic { beat(now, isProbe: false, &actions) }
      if let renewal, renewal <= now.monotonic { renew(isRejected: false, &actions) }
      for topic in channels.keys.sorted() {
        if let deadline = channels[topic]?.deadline, deadline <= now.monotonic {
          sendJoin(topic, now, &actions)
        }
      }
    }
  }

  // MARK: - Link

  private static func limit(of heartbeat: Heartbeat) -> Duration {
    heartbeat.isProbe ? probeTimeout : lostAfter
  }

  private mutating func open(_ now: Time, _ actions: inout [Action]) {
    phase = .opening(until: now.monotonic + Self.openTimeout)
    actions.append(.open)
  }

  private mutating func opened(_ now: Time, _ actions: inout [Action]) {
    guard case .opening = phase else { return }
    phase = .open
    heartbeat = nil
    isStale = false
    beat(now, isProbe: false, &actions)
    if let token, now.wall.advanced(by: Self.tokenMargin) < token.expiry {
      for topic in channels.keys.sorted() { sendJoin(topic, now, &actions) }
    } else {
      token = nil
      renew(isRejected: false, &actions)
    }
  }

  /// The connection is lost, or was never opened: wait for the next attempt.
  private mutating func lost(_ now: Time, _ reason: String, _ actions: inout [Action]) {
    guard phase != .stopped else { return }
    interrupt(&actions)
    let wait = wait(afterFailures: attempts)
    attempts += 1
    phase = .waiting(
      until: now.monotonic + wait, retryAt: now.wall.advanced(by: wait), reason: reason)
  }

  /// Drops a link that looks open, or the wait for one, and connects at once.
  private mutating func connectAnew(_ now: Time, _ actions: inout [Action]) {
    switch phase {
    case .stopped: return
    case .open, .opening: actions.append(.close)
    case .waiting: attempts = 0
    }
    interrupt(&actions)
    open(now, &actions)
  }

  private mutating func stop(_ actions: inout [Action]) {
    if phase == .open || isOpening { actions.append(.close) }
    interrupt(&actions)
    phase = .stopped
    channels = [:]
    token = nil
    renewal = nil
    isRenewing = false
    attempts = 0
  }

  private var isOpening: Bool { if case .opening = phase { true } else { false } }

  /// No channel is joined any more; live ones may miss changes.
  private mutating func interrupt(_ actions: inout [Action]) {
    heartbeat = nil
    isStale = false
    for topic in channels.keys.sorted() {
      if channels[topic]?.isLive == true { actions.append(.deliver(topic: topic, .gap)) }
      channels[topic]?.interrupt()
    }
  }

  private mutating func probe(_ now: Time, _ actions: inout [Action]) {
    switch phase {
    case .stopped, .opening: break
    case .waiting: connectAnew(now, &actions)
    case .open: if heartbeat?.isProbe != true { beat(now, isProbe: true, &actions) }
    }
  }

  private mutating func beat(_ now: Time, isProbe: Bool, _ actions: inout [Action]) {
    let ref = nextRef()
    if let trialEnd, trialEnd <= now.monotonic {
      interval = Self.heartbeatInterval
      self.trialEnd = nil
    }
    heartbeat = Heartbeat(ref: ref, sentAt: now.monotonic, isProbe: isProbe)
    nextHeartbeat = now.monotonic + interval
    actions.append(
      .send(RealtimeMessage(topic: RealtimeTopic.phoenix, event: .heartbeat, ref: ref)))
  }

  private func hasSlept(until now: Time) -> Bool {
    guard let lastTime else { return false }
    return now.slept - lastTime.slept > Self.noticedSleep
  }

  private mutating func updateLink(_ actions: inout [Action]) {
    let new: LinkState
    switch phase {
    case .stopped: new = .signedOut
    // Stays offline during the next attempt, so that the state does not flicker.
    case .opening: new = link.isOffline ? link : .connecting
    case .waiting(_, let retryAt, let reason): new = .offline(retryAt: retryAt, reason: reason)
    case .open:
      if isStale {
        new = .stale
      } else if channels.isEmpty {
        new = .polling
      } else {
        new = channels.values.allSatisfy(\.isLive) ? .live : .connecting
      }
    }
    guard new != link else { return }
    link = new
    actions.append(.link(new))
  }

  // MARK: - Channels

  private mutating func join(
    _ topic: String, _ configuration: ChannelConfiguration, _ now: Time,
    _ actions: inout [Action]
  ) {
    if let old = channels[topic], old.configuration == configuration { return }
    if channels[topic] != nil { leave(topic, &actions) }
    channels[topic] = ClientChannel(topic: topic, configuration)
    if phase == .open { sendJoin(topic, now, &actions) }
  }

  private mutating func leave(_ topic: String, _ actions: inout [Action]) {
    guard let channel = channels.removeValue(forKey: topic) else { return }
    guard phase == .open, let joinRef = channel.joinRef else { return }
    actions.append(
      .send(RealtimeMessage(topic: topic, event: .leave, ref: nextRef(), joinRef: joinRef)))
  }

  private mutating func sendJoin(_ topic: String, _ now: Time, _ actions: inout [Action]) {
    guard let token, channels[topic] != nil else { return }
    let ref = nextRef()
    let until = now.monotonic + Self.joinTimeout
    if let message = channels[topic]?.join(with: token.text, ref: ref, until: until) {
      actions.append(.send(message))
    }
  }

  private mutating func receive(
    _ message: RealtimeMessage, _ now: Time, _ actions: inout [Action]
  ) {
    guard phase == .open else { return }
    if message.event == .reply, message.topic == RealtimeTopic.phoenix {
      if message.ref == heartbeat?.ref {
        heartbeat = nil
        isStale = false
        attempts = 0
      }
      return
    }
    let topic = message.topic
    guard var channel = channels[topic] else { return }
    let outcome = channel.receive(message)
    channels[topic] = channel
    switch outcome {
    case .joined?:
      if let presence = channel.configuration.presence {
        actions.append(.send(channel.trackMessage(presence, ref: nextRef())))
      }
      if channel.isLive { actions.append(.deliver(topic: topic, .live)) }
    case .event(let event)?: actions.append(.deliver(topic: topic, event))
    case .refused(let reason)?: refused(topic, reason, now, &actions)
    case nil: break
    }
  }

  /// The server closed or refused the channel: join again later, with a new token if the old one
  /// was the reason.
  private mutating func refused(
    _ topic: String, _ reason: String?, _ now: Time, _ actions: inout [Action]
  ) {
    guard let channel = channels[topic] else { return }
    if channel.isLive { actions.append(.deliver(topic: topic, .gap)) }
    let until = now.monotonic + wait(afterFailures: channel.refusals)
    channels[topic]?.refuse(until: until)
    let isAboutToken = ["JWT", "oken", "Unauthorized"].contains { reason?.contains($0) == true }
    if isAboutToken { renew(isRejected: true, &actions) }
  }

  // MARK: - Token

  private mutating func renew(isRejected: Bool, _ actions: inout [Action]) {
    renewal = nil
    guard !isRenewing else { return }
    isRenewing = true
    actions.append(.renewToken(isRejected: isRejected))
  }

  private mutating func renewed(_ new: AccessToken, _ now: Time, _ actions: inout [Action]) {
    isRenewing = false
    let isOther = new.text != token?.text
    token = new
    renewal = now.monotonic + max(.seconds(1), new.expiry.since(now.wall) - Self.tokenMargin)
    guard isOther, phase == .open else { return }
    for topic in channels.keys.sorted() {
      switch channels[topic]?.phase {
      case .joined?:
        actions.append(
          .send(
            RealtimeMessage(
              topic: topic, event: .accessToken, payload: ["access_token": .string(new.text)],
              ref: nextRef(), joinRef: channels[topic]?.joinRef)))
      case .refused?, .unjoined?: sendJoin(topic, now, &actions)
      default: break
      }
    }
  }

  private mutating func nextRef() -> JSONValue {
    lastRef += 1
    return .string(String(lastRef))
  }
}
