import RallySystem
import RallyText
import RallyWire

/// One conversation with GeoClue 2: what to ask next, and what follows from the answers. A value
/// without a bus or a clock, so that tests need neither.
///
/// A client object is made once, started while a position is needed, and asks for the most exact
/// position. Both thresholds stay 0: a threshold also holds back a more accurate position of the same
/// place, and before version 2.6 a walk whose steps are below it.
struct GeoClueSession {
  enum Action: Equatable {
    case report(LocationEvent)
    case call(GeoClueCall)
    /// Call `woke` after this time, in place of an earlier one; nil for never.
    case wake(after: Duration?)
  }

  static let name = "geoclue"
  /// The name of this program in the desktop's settings and in `geoclue.conf`.
  static let desktopID = "rally"
  /// Of `GClueAccuracyLevel`: as exact as the machine can.
  private static let exact: UInt32 = 8
  /// An answer that takes longer waits for somebody who has to permit it.
  static let answerTime = Duration.seconds(5)
  /// How long a position has to come, at a pace with rests.
  static let patience = Duration.seconds(30)
  /// Metres. A less accurate position may soon be followed by a better one.
  private static let fine = 1000.0
  /// As many positions in a minute come from a receiver that reports every second; other sources
  /// report changes and need no rest.
  private static let manyFixes = 20

  private enum Phase: Equatable {
    /// There is no GeoClue; its start is noticed.
    case absent
    /// A new attempt is made when the time is over.
    case waiting
    /// For a client object.
    case asking
    case starting(String)
    case measuring(String, hasFix: Bool)
    /// Stopped until the next measurement.
    case idle(String)

    var client: String? {
      switch self {
      case .absent, .waiting, .asking: nil
      case .starting(let client), .measuring(let client, _), .idle(let client): client
      }
    }
  }

  private let pace: LocationPace
  private var phase = Phase.absent
  private var state: LocationSourceState?
  private var filter = FixFilter()
  private var stillness = Stillness()
  /// Whether the device stands still and its receiver is read at intervals.
  private var isStill = false
  private var backoff = ReconnectionBackoff()
  /// Whether GeoClue runs.
  private var isThere = false
  /// What GeoClue could measure with, of `GClueAccuracyLevel`; nil if it does not say.
  private var level: Int64?

  init(pace: LocationPace) { self.pace = pace }

  // MARK: - The Service

  /// The bus is there, for the first time or again.
  mutating func connected() -> [Action] {
    guard phase.client == nil, phase != .asking else { return [] }
    // What is known holds until a new attempt has an outcome.
    let actions = phase == .absent ? notify(.searching("asking GeoClue")) : []
    phase = .asking
    return actions + [.call(.getClient), .wake(after: Self.answerTime)]
  }

  /// GeoClue runs.
  ///
  /// - Parameter level: Its property `AvailableAccuracyLevel`.
  mutating func serviceIsThere(level: Int64?) -> [Action] {
    let isNew = !isThere
    isThere = true
    self.level = level
    switch phase {
    case .absent: return connected()
    case .waiting: return isNew ? connected() : []
    case .measuring where level == 0 || state == Self.nothing: return notify(hope)
    case .asking, .starting, .measuring, .idle: return []
    }
  }

  /// GeoClue does not run, or has ended.
  mutating func serviceIsAbsent() -> [Action] {
    guard isThere else { return [] }
    return lost("GeoClue has ended") + [.wake(after: backoff.next())]
  }

  /// The bus has ended; `connected` follows when it is back.
  mutating func busEnded() -> [Action] { lost("the system bus has ended") + [.wake(after: nil)] }

  private mutating func lost(_ reason: String) -> [Action] {
    isThere = false
    level = nil
    phase = .waiting
    return notify(.unavailable(reason))
  }

  // MARK: - Signals

  /// GeoClue has a new location object.
  mutating func located(_ path: String) -> [Action] {
    switch phase {
    case .starting, .measuring: [.call(.location(path))]
    case .absent, .waiting, .asking, .idle: []
    }
  }

  /// A client was stopped or started by GeoClue, perhaps this one.
  mutating func activityChanged() -> [Action] {
    guard case .measuring(let client, _) = phase else { return [] }
    return [.call(.activity(client))]
  }

  // MARK: - Answers

  /// - Parameter now: When it arrived.
  mutating func answered(
    _ call: GeoClueCall, _ reply: BusMessage, at now: WireTime
  ) -> [Action] {
    switch (call, phase) {
    case (.getClient, .asking): takeClient(reply)
    case (.start(let started), .starting(let client)) where started == client:
      isStarted(client, reply)
    case (.activity(let asked), .measuring(let client, _)) where asked == client:
      takeActivity(reply)
    case (.location, .starting(let client)), (.location, .measuring(let client, _)):
      takeLocation(reply, of: client, at: now)
    default: []
    }
  }

  private mutating func takeClient(_ reply: BusMessage) -> [Action] {
    if let problem = reply.problem { return refused(problem, reply) }
    guard case .text(let client) = reply.arguments.first, client.hasPrefix("/") else {
      return fail(.unavailable("GeoClue's answer is of a wrong type"))
    }
    return [
      .call(.set("DesktopId", .text(Self.desktopID), of: client)),
      .call(.set("RequestedAccuracyLevel", .number(Self.exact), of: client)),
      .call(.set("DistanceThreshold", .number(0), of: client)),
      .call(.set("TimeThreshold", .number(0), of: client)),
    ] + start(client)
  }

  private mutating func start(_ client: String) -> [Action] {
    phase = .starting(client)
    return [.call(.start(client)), .wake(after: Self.answerTime)]
  }

  private mutating func isStarted(_ client: String, _ reply: BusMessage) -> [Action] {
    if let problem = reply.problem { return refused(problem, reply) }
    phase = .measuring(client, hasFix: false)
    return (isMeasuring ? [] : notify(hope)) + [.wake(after: interval == nil ? nil : Self.patience)]
  }

  private mutating func takeActivity(_ reply: BusMessage) -> [Action] {
    switch reply.values["Active"] {
    case .flag(false): notify(.denied("location was turned off in the desktop's settings"))
    case .flag(true) where !isMeasuring: notify(hope)
    default: []
    }
  }

  private mutating func takeLocation(
    _ reply: BusMessage, of client: String, at now: WireTime
  ) -> [Action] {
    if let problem = reply.problem {
      // GeoClue keeps the two newest objects only.
      return problem.isUnknownObject ? [] : notify(.unavailable("GeoClue: \(problem.sentence)"))
    }
    switch GeoClueLocation(reply.values, at: now) {
    case .invalid: return notify(.unavailable("GeoClue sent a position that is none"))
    case .old: return isMeasuring ? [] : notify(.searching("GeoClue knows an old position only"))
    case .fix(let fix): return take(fix, of: client, at: now)
    }
  }

  private mutating func take(
    _ fix: LocationFix, of client: String, at now: WireTime
  ) -> [Action] {
    backoff.greeted()
    phase = .measuring(client, hasFix: true)
    let isBack = !isMeasuring
    isStill = stillness.take(fix, at: now) && stillness.count >= Self.manyFixes
    let actions =
      if case .every(let interval) = pace {
        notify(.paused("measures every \(interval.components.seconds) s"))
      } else {
        notify(.running)
      }
    let passes = filter.passes(fix, at: now)
    let report: [Action] = passes || isBack ? [.report(.fix(fix))] : []
    let isFine = (fix.accuracyMetres ?? 0) <= Self.fine
    guard let interval, isFine else { return actions + report }
    return actions + report + rest(client, interval)
  }

  /// GeoClue, or the desktop's agent, refuses or cannot do it.
  private mutating func refused(_ problem: BusProblem, _ reply: BusMessage) -> [Action] {
    if problem.isAbsence {
      phase = .absent
      return notify(.unavailable("this machine has no GeoClue")) + [.wake(after: nil)]
    }
    guard problem.isRefusal else { return fail(.unavailable("GeoClue: \(problem.sentence)")) }
    let reason = if case .text(let text) = reply.arguments.first { text } else { "" }
    return fail(
      .denied(
        "GeoClue says \"\(reason.cleanedForDisplay.prefix(120))\"; allow rally in the desktop's "
          + "location settings, or in the section [rally] of /etc/geoclue/geoclue.conf"))
  }

  private mutating func fail(_ state: LocationSourceState) -> [Action] {
    phase = .waiting
    return notify(state) + [.wake(after: backoff.next())]
  }

  // MARK: - Time

  /// The time of the last `wake` is over.
  mutating func woke() -> [Action] {
    switch phase {
    case .absent: []
    case .waiting: connected()
    case .asking:
      notify(
        isThere
          ? .denied(
            "GeoClue waits for the desktop's location agent: turn on location in the desktop's "
              + "settings")
          : .unavailable("GeoClue does not answer"))
    case .starting: notify(.denied("GeoClue waits until somebody allows it on the desktop"))
    case .measuring(let client, let hasFix): giveUp(client, hasFix: hasFix)
    case .idle(let client): start(client)
    }
  }

  private mutating func giveUp(_ client: String, hasFix: Bool) -> [Action] {
    guard case .every(let interval) = pace else {
      // It stood still before; now it measures until something is found.
      return hasFix ? [] : notify(.searching("no position yet"))
    }
    let actions =
      hasFix
      ? [] : notify(.unavailable("no position within \(Self.patience.components.seconds) s"))
    return actions + rest(client, interval)
  }

  private mutating func rest(_ client: String, _ interval: Duration) -> [Action] {
    phase = .idle(client)
    return [.call(.stop(client)), .wake(after: interval)]
  }

  /// Nobody needs a position any more.
  mutating func end() -> [GeoClueCall] {
    defer { phase = .absent }
    return phase.client.map { [.stop($0), .deleteClient($0)] } ?? []
  }

  // MARK: - State

  /// How long to rest after a measurement; nil for not at all.
  private var interval: Duration? {
    if case .every(let interval) = pace { return interval }
    return isStill ? Stillness.interval : nil
  }

  /// Whether a fix was reported that still counts.
  private var isMeasuring: Bool { state?.isMeasuring ?? false }

  private static let nothing = LocationSourceState.unavailable(
    "GeoClue has nothing to measure with, or location is off for the system")

  /// What is reported until a position comes.
  private var hope: LocationSourceState {
    level == 0 ? Self.nothing : .searching("no position yet")
  }

  private mutating func notify(_ state: LocationSourceState) -> [Action] {
    guard state != self.state else { return [] }
    self.state = state
    return [.report(.state(state))]
  }
}
