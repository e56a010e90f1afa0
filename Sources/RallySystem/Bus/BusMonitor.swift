import Dispatch
import Glibc
import Logging
import RallyWire
import Synchronization

/// Follows objects and signals on a bus, by change signals alone.
///
/// Values are taken only from replies; a change signal is a reason to ask. No service is started,
/// except by a call that says so.
/// A bus that ends is looked for again, after one second at first and after 30 at last; a bus that
/// was never there is not. Everything happens on the queue.
package final class BusMonitor: Sendable {
  /// A service that did not answer within the first time counts as silent; a late answer within the
  /// second is still taken. Microseconds.
  package static let patience: (first: UInt64, second: UInt64) = (800_000, 25_000_000)
  private static let retries = (first: 1, last: 30)

  enum Receiver {
    case owner(service: String)
    case change(BusObject)
    case answer(BusObject, isSecond: Bool)
    case signal(BusSignal)
    case reply(@Sendable (BusMessage) -> Void)
  }

  struct State {
    var connection: BusConnection?
    var source: (any DispatchSourceRead)?
    var timer: (any DispatchSourceTimer)?
    var problem: BusProblem?
    var isStopped = false
    var retry = BusMonitor.retries.first
    var receivers: [UInt32: Receiver] = [:]
    var lastTag: UInt32 = 0
    var answers: [BusObject: BusAnswer] = [:]
    /// The call whose reply is waited for, and whether the object changed since.
    var asked: [BusObject: (tag: UInt32, isSecond: Bool, isStale: Bool)] = [:]
  }

  private let address: String
  let objects: [BusObject]
  private let signals: [BusSignal]
  private let queue: DispatchQueue
  private let onChange: @Sendable () -> Void
  let onSignal: @Sendable (BusSignal, BusMessage) -> Void
  let log = RallyLog.logger("Bus")
  private let state = Mutex(State())

  /// - Parameters:
  ///   - queue: A serial queue, on which the closures are called and all other calls are made.
  ///   - onChange: Called after `answers` changed.
  package init(
    address: String, objects: [BusObject], signals: [BusSignal] = [], queue: DispatchQueue,
    onSignal: @escaping @Sendable (BusSignal, BusMessage) -> Void = { _, _ in },
    onChange: @escaping @Sendable () -> Void
  ) {
    self.address = address
    self.objects = objects
    self.signals = signals
    self.queue = queue
    self.onSignal = onSignal
    self.onChange = onChange
  }

  deinit { stop() }

  /// What is known of each object.
  package var answers: [BusObject: BusAnswer] { state.withLock { $0.answers } }

  /// Why there is no connection; nil if there is one.
  package var problem: BusProblem? { state.withLock { $0.problem } }

  /// Connects and asks every object. Blocks until the bus has accepted the connection, which takes
  /// at most a second.
  package func start() { connect(isFirst: true) }

  /// May be called from any thread.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      Self.disconnect(&state)
    }
  }

  /// Waits until every object has answered, but not longer than the limit.
  func settle(within limit: Duration) {
    let end = ContinuousClock.now + limit
    while true {
      let descriptor = state.withLock { state in
        state.answers.values.contains(.waiting) ? state.connection?.descriptor : nil
      }
      let rest = (end - .now) / .milliseconds(1)
      guard let descriptor, rest > 0 else { return }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&request, 1, Int32(min(rest, 50)) + 1)
      _ = receive()
    }
  }

  /// Calls a method.
  ///
  /// - Parameters:
  ///   - startsService: Whether the bus starts the service if it does not run.
  ///   - patience: Microseconds until the call fails; `.max` for never.
  ///   - reply: Called on the queue, unless the connection ends before.
  package func call(
    _ object: BusObject, _ method: String, _ arguments: [BusArgument],
    startsService: Bool = false, patience: UInt64 = BusMonitor.patience.second,
    reply: @escaping @Sendable (BusMessage) -> Void
  ) {
    state.withLock { state in
      let tag = Self.tag(for: .reply(reply), &state)
      try? state.connection?.call(
        object, interface: object.interface, method, arguments, tag: tag,
        startsService: startsService, patience: patience)
      schedule(state)
    }
  }

  // MARK: - Connection

  private func connect(isFirst: Bool) {
    let isLost = state.withLock { state in
      guard !state.isStopped else { return false }
      do throws(BusProblem) {
        let connection = try BusConnection(address: address)
        listen(to: connection, &state)
        try subscribe(connection, &state)
        state.problem = nil
        state.retry = Self.retries.first
        return false
      } catch {
        state.problem = error
        Self.disconnect(&state)
        objects.forEach { state.answers[$0] = .absent }
        return !isFirst || error.code == ETIMEDOUT
      }
    }
    if isLost { connectLater() }
  }

  private func connectLater() {
    let delay = state.withLock { state in
      defer { state.retry = min(state.retry * 2, Self.retries.last) }
      return state.isStopped ? nil : state.retry
    }
    guard let delay else { return }
    queue.asyncAfter(deadline: .now() + .seconds(delay)) { [weak self] in
      guard let self else { return }
      let before = answers
      connect(isFirst: false)
      if answers != before { onChange() }
    }
  }

  private static func disconnect(_ state: inout State) {
    state.source?.cancel()
    state.timer?.cancel()
    state.source = nil
    state.timer = nil
    state.connection = nil
    state.receivers = [:]
    state.asked = [:]
  }

  private func listen(to connection: BusConnection, _ state: inout State) {
    let source = DispatchSource.makeReadSource(
      fileDescriptor: connection.descriptor, queue: queue)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .distantFuture)
    for dueSource in [source, timer] as [any DispatchSourceProtocol] {
      dueSource.setEventHandler { [weak self] in
        guard let self else { return }
        if receive() { onChange() }
      }
    }
    // The descriptor must stay open until the source is cancelled.
    source.setCancelHandler { withExtendedLifetime(connection) {} }
    source.activate()
    timer.activate()
    state.connection = connection
    state.source = source
    state.timer = timer
  }

  private func subscribe(
    _ connection: BusConnection, _ state: inout State
  ) throws(BusProblem) {
    for service in Set(objects.map(\.service)).sorted() {
      try connection.match(
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='\(service)'",
        tag: Self.tag(for: .owner(service: service), &state))
    }
    for object in objects {
      let rule =
        object.method == nil
        ? "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
          + "arg0='\(object.interface)'"
        : "interface='\(object.interface)',member='changed'"
      try connection.match(
        "type='signal',sender='\(object.service)',path='\(object.path)'," + rule,
        tag: Self.tag(for: .change(object), &state))
      state.answers[object] = .waiting
      query(object, &state)
    }
    for signal in signals {
      try connection.match(signal.rule, tag: Self.tag(for: .signal(signal), &state))
    }
    schedule(state)
  }

  static func tag(for receiver: Receiver, _ state: inout State) -> UInt32 {
    state.lastTag += 1
    state.receivers[state.lastTag] = receiver
    return state.lastTag
  }

  /// Lets the timer fire when a call that has no reply yet fails; without one it never fires.
  private func schedule(_ state: State) {
    let deadline = state.connection?.deadline
    state.timer?.schedule(
      deadline: deadline.map { DispatchTime(uptimeNanoseconds: $0 * 1000) } ?? .distantFuture)
  }

  // MARK: - Messages

  /// Handles what has arrived; returns whether an answer changed.
  private func receive() -> Bool {
    var calls: [@Sendable () -> Void] = []
    var isLost = false
    let isChanged = state.withLock { state in
      guard let connection = state.connection else { return false }
      let before = state.answers
      do throws(BusProblem) {
        for message in try connection.messages() {
          if let call = handle(message, &state) { calls.append(call) }
        }
        schedule(state)
      } catch {
        log.warning("lost — \(error.sentence)")
        state.problem = error
        Self.disconnect(&state)
        objects.forEach { state.answers[$0] = .absent }
        isLost = true
      }
      return state.answers != before
    }
    calls.forEach { $0() }
    if isLost { connectLater() }
    return isChanged
  }
}

// All of it runs with the lock held.
extension BusMonitor {
  /// Returns what to call without the lock.
  func handle(_ message: BusMessage, _ state: inout State) -> (@Sendable () -> Void)? {
    guard let receiver = state.receivers[message.tag] else { return nil }
    switch receiver {
    case .owner(let service):
      let isThere = message.arguments.last != .text("")
      for object in objects where object.service == service {
        state.asked[object] = nil
        if isThere { query(object, &state) } else { set(.absent, for: object, &state) }
      }
    case .change(let object):
      // Others of the service may have been asked before they were there.
      for other in objects where other.service == object.service {
        if other == object { queryAgain(object, &state) }
        if case .problem = state.answers[other], other != object { queryAgain(other, &state) }
      }
    case .answer(let object, let isSecond):
      state.receivers[message.tag] = nil
      // A newer call replaced this one.
      guard let asked = state.asked[object], asked.tag == message.tag else { break }
      state.asked[object] = nil
      set(Self.answer(message), for: object, &state)
      if asked.isStale {
        query(object, &state)
      } else if message.problem?.code == ETIMEDOUT, !isSecond {
        query(object, isSecond: true, &state)
      }
    case .signal(let signal): return { [onSignal] in onSignal(signal, message) }
    case .reply(let reply):
      state.receivers[message.tag] = nil
      return { reply(message) }
    }
    return nil
  }

  /// Asks now, or after the reply to a call that was just made.
  private func queryAgain(_ object: BusObject, _ state: inout State) {
    if state.asked[object]?.isSecond == false {
      state.asked[object]?.isStale = true
    } else {
      query(object, &state)
    }
  }

  private func set(_ answer: BusAnswer, for object: BusObject, _ state: inout State) {
    if case .problem(let problem) = answer { log.warning("\(object.service) — \(problem)") }
    state.answers[object] = answer
  }

  private static func answer(_ message: BusMessage) -> BusAnswer {
    guard let problem = message.problem else { return .values(message.values, at: .now) }
    return problem.isAbsence ? .absent : .problem(problem.sentence)
  }

  func query(_ object: BusObject, isSecond: Bool = false, _ state: inout State) {
    guard let connection = state.connection else { return }
    let tag = Self.tag(for: .answer(object, isSecond: isSecond), &state)
    state.asked[object] = (tag, isSecond, false)
    // A failure here is a lost connection, which the next reading of messages reports.
    try? connection.call(
      object,
      interface: object.method == nil ? "org.freedesktop.DBus.Properties" : object.interface,
      object.method ?? "GetAll", object.method == nil ? [.text(object.interface)] : [], tag: tag,
      patience: isSecond ? Self.patience.second : Self.patience.first)
  }
}
