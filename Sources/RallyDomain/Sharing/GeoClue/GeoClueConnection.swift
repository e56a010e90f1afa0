import Dispatch
import RallyClient
import RallySystem
import RallyWire
import Synchronization

extension LocationSource {
  /// GeoClue 2, on the system bus.
  ///
  /// The bus starts GeoClue when a position is needed. GeoClue reports changes, so that silence means
  /// that nothing changed; half an hour is the limit for a device that slept.
  ///
  /// - Parameter environment: Where the address of the system bus may be.
  public static func geoClue(in environment: [String: String]) -> LocationSource {
    geoClue(at: BusAddress.system(in: environment))
  }

  static func geoClue(at address: String) -> LocationSource {
    LocationSource(name: GeoClueSession.name, lifetime: .seconds(1800)) { pace in
      let (events, continuation) = AsyncStream.makeStream(
        of: LocationEvent.self, bufferingPolicy: .bufferingNewest(64))
      let connection = GeoClueConnection(address: address, pace: pace, events: continuation)
      continuation.onTermination = { _ in connection.end() }
      connection.start()
      return events
    }
  }
}

/// Connects to the system bus and carries out what the session says. Everything happens on the queue.
final class GeoClueConnection: Sendable {
  private static let located = BusSignal(
    service: GeoClueCall.service, interface: GeoClueCall.client, member: "LocationUpdated")
  private static let clientChanged = BusSignal(
    service: GeoClueCall.service, interface: GeoClueCall.properties, member: "PropertiesChanged",
    argument: GeoClueCall.client)

  private struct State {
    var session: GeoClueSession
    var bus: BusMonitor?
    var watchdog: Watchdog?
    var isEnded = false
  }

  private let queue = DispatchQueue(label: "rally.geoclue", qos: .utility)
  private let events: AsyncStream<LocationEvent>.Continuation
  private let state: Mutex<State>

  init(address: String, pace: LocationPace, events: AsyncStream<LocationEvent>.Continuation) {
    self.events = events
    state = Mutex(State(session: GeoClueSession(pace: pace)))
    let bus = BusMonitor(
      address: address, objects: [GeoClueCall.manager],
      signals: [Self.located, Self.clientChanged], queue: queue,
      onSignal: { [weak self] in self?.receive($0, $1) },
      onChange: { [weak self] in self?.serviceChanged() })
    let watchdog = Watchdog { [weak self] in self?.woke() }
    state.withLock { state in
      state.bus = bus
      state.watchdog = watchdog
    }
  }

  func start() {
    queue.async { [self] in
      guard let bus = state.withLock({ $0.isEnded ? nil : $0.bus }) else { return }
      bus.start()
      if let problem = bus.problem {
        events.yield(.state(.unavailable("no system bus: \(problem.sentence)")))
      } else {
        advance { $0.connected() }
      }
    }
  }

  /// Stops measuring and lets go of GeoClue, which counts its clients.
  func end() {
    queue.async { [self] in
      let (calls, bus) = state.withLock { state in
        defer {
          state.isEnded = true
          state.watchdog?.cancel()
          state.bus = nil
        }
        return (state.isEnded ? [] : state.session.end(), state.bus)
      }
      guard let bus else { return }
      guard let last = calls.last else { return bus.stop() }
      for call in calls.dropLast() { Self.send(call, on: bus) { _ in } }
      Self.send(last, on: bus) { _ in bus.stop() }
    }
  }

  private func woke() {
    queue.async { [self] in
      // An answer that came meanwhile may have set a new time.
      if state.withLock({ $0.watchdog?.isSet == false }) { advance { $0.woke() } }
    }
  }

  private func serviceChanged() {
    guard let bus = state.withLock({ $0.bus }) else { return }
    if bus.problem != nil { return advance { $0.busEnded() } }
    switch bus.answers[GeoClueCall.manager] {
    // The bus is back; a call to the one before gets no answer.
    case .waiting: advance { $0.busEnded() + $0.connected() }
    case .absent: advance { $0.serviceIsAbsent() }
    case .values(let values, _):
      let level: Int64? =
        if case .integer(let level) = values["AvailableAccuracyLevel"] { level } else { nil }
      advance { $0.serviceIsThere(level: level) }
    case .problem, nil: break
    }
  }

  private func receive(_ signal: BusSignal, _ message: BusMessage) {
    if signal == Self.clientChanged {
      if message.values["Active"] != nil { advance { $0.activityChanged() } }
    } else if message.arguments.count == 2, case .text(let path) = message.arguments[1] {
      advance { $0.located(path) }
    }
  }

  private func advance(_ step: (inout GeoClueSession) -> [GeoClueSession.Action]) {
    let (actions, bus, watchdog) = state.withLock { state in
      (state.isEnded ? [] : step(&state.session), state.bus, state.watchdog)
    }
    for action in actions {
      switch action {
      case .report(let event): events.yield(event)
      case .wake(let time?): watchdog?.set(after: time)
      case .wake(nil): watchdog?.cancel()
      case .call(let call):
        guard let bus else { break }
        Self.send(call, on: bus) { [weak self] reply in
          self?.advance { $0.answered(call, reply, at: .now) }
        }
      }
    }
  }

  private static func send(
    _ call: GeoClueCall, on bus: BusMonitor, reply: @escaping @Sendable (BusMessage) -> Void
  ) {
    let form = call.form
    bus.call(
      form.object, form.method, form.arguments, startsService: form.startsService,
      patience: form.waitsForPermission ? .max : BusMonitor.patience.second, reply: reply)
  }
}
