import Dispatch
import Glibc
import Logging
import Synchronization

/// Follows the machine's sleep through logind, and delays it until state is saved.
public final class SleepMonitor: Sendable {
  public enum Change: Sendable {
    /// The machine is about to sleep; it waits for `saved`, for some seconds at most.
    case sleep
    case wake
  }

  /// Answers whether logind is there; nothing of it is followed.
  private static let presence = BusObject(
    service: "org.freedesktop.login1", path: "/org/freedesktop/login1",
    interface: "org.freedesktop.DBus.Peer", method: "Ping")
  private static let manager = BusObject(
    service: presence.service, path: presence.path, interface: "org.freedesktop.login1.Manager")
  private static let signal = BusSignal(
    service: presence.service, path: presence.path, interface: manager.interface,
    member: "PrepareForSleep")

  private struct State {
    var bus: BusMonitor?
    var continuation: AsyncStream<Change>.Continuation?
    /// While it is open, logind delays sleep.
    var inhibitor: Int32?
  }

  private let address: String
  private let queue = DispatchQueue(label: "rally.sleep", qos: .utility)
  private let log = RallyLog.logger("Sleep")
  private let state = Mutex(State())

  /// - Parameter environment: Where the address of the system bus may be.
  public convenience init(environment: [String: String]) {
    self.init(address: BusAddress.system(in: environment))
  }

  init(address: String) { self.address = address }

  deinit { stop() }

  /// Starts to follow logind, until the stream ends. A second call ends the stream of the first.
  public func changes() -> AsyncStream<Change> {
    stop()
    let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
    let bus = BusMonitor(
      address: address, objects: [Self.presence], signals: [Self.signal], queue: queue,
      onSignal: { [weak self] _, message in
        self?.receive(isSleep: message.arguments.first == .flag(true))
      },
      onChange: { [weak self] in self?.logindChanged() })
    state.withLock { state in
      state.bus = bus
      state.continuation = continuation
    }
    continuation.onTermination = { [weak self] end in
      if case .cancelled = end { self?.stop() }
    }
    queue.async { bus.start() }
    return stream
  }

  /// State is saved: the machine may sleep now.
  public func saved() {
    state.withLock { state in
      if let inhibitor = state.inhibitor { close(inhibitor) }
      state.inhibitor = nil
    }
  }

  private func stop() {
    let ended = state.withLock { state in
      defer { state.bus = nil }
      return (bus: state.bus, continuation: state.continuation.take())
    }
    ended.bus?.stop()
    ended.continuation?.finish()
    saved()
  }

  private func logindChanged() {
    guard case .values = state.withLock({ $0.bus })?.answers[Self.presence] else { return saved() }
    inhibit()
  }

  private func receive(isSleep: Bool) {
    log.info("\(isSleep ? "about to sleep" : "awake")")
    state.withLock { $0.continuation }?.yield(isSleep ? .sleep : .wake)
    if !isSleep { inhibit() }
  }

  private func inhibit() {
    guard let bus = state.withLock({ $0.inhibitor == nil ? $0.bus : nil }) else { return }
    let arguments = ["sleep", "Rally", "Saves drafts and lists", "delay"]
    bus.call(Self.manager, "Inhibit", arguments.map(BusArgument.text)) { [weak self] reply in
      guard case .descriptor(let descriptor) = reply.arguments.first, descriptor >= 0 else {
        return
      }
      let isKept = self?.state.withLock { state in
        guard state.bus === bus, state.inhibitor == nil else { return false }
        state.inhibitor = descriptor
        return true
      }
      if isKept != true { close(descriptor) }
    }
  }
}
