import RallySystem
import RallyText
import RallyWire
import Synchronization

/// Shows desktop notifications without blocking the caller.
///
/// D-Bus calls run one after the other on a small thread that exists only while there is work.
public final class DesktopNotifier: Sendable {
  private struct Queue {
    var jobs: [@Sendable () -> Void] = []
    var isWorking = false
  }

  private let bus: SessionBus
  private let queue = Mutex(Queue())

  /// Returns nil if the user has no session bus, and over SSH.
  ///
  /// - Parameter environment: Used to find the bus and to detect SSH.
  public init?(environment: [String: String]) {
    guard let address = SessionBus.address(in: environment) else { return nil }
    bus = SessionBus(address: address)
  }

  public var address: String { bus.address }

  /// Shows a notification that replaces the previous one.
  ///
  /// - Returns: Why it was not shown; nil on success.
  public func show(_ announcement: Announcement) async -> String? {
    await perform { bus throws(BusProblem) in
      try bus.show(title: "Rally", text: announcement.text)
    }
  }

  /// Closes the last notification, once it was seen.
  public func close() async {
    _ = await perform { bus throws(BusProblem) in try bus.close() }
  }

  /// The name of the desktop's notification server, or why there is none.
  public func examine() async -> (server: String?, problem: String?) {
    let found = Mutex<String?>(nil)
    let problem = await perform { bus throws(BusProblem) in
      let server = try bus.server()
      found.withLock { $0 = server.name.cleanedForDisplay }
    }
    return (found.withLock(\.self), problem)
  }

  private func perform(
    _ act: @escaping @Sendable (SessionBus) throws(BusProblem) -> Void
  ) async -> String? {
    await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
      let bus = bus
      add {
        do throws(BusProblem) {
          try act(bus)
          continuation.resume(returning: nil)
        } catch {
          continuation.resume(returning: error.sentence)
        }
      }
    }
  }

  private func add(_ job: @escaping @Sendable () -> Void) {
    let isFirst = queue.withLock { queue in
      queue.jobs.append(job)
      defer { queue.isWorking = true }
      return !queue.isWorking
    }
    guard isFirst else { return }
    BackgroundThread.start("rally.bus", stackSize: 256 << 10) { [self] in
      while let job = next() { job() }
    }
  }

  private func next() -> (@Sendable () -> Void)? {
    queue.withLock { queue in
      guard !queue.jobs.isEmpty else {
        queue.isWorking = false
        return nil
      }
      return queue.jobs.removeFirst()
    }
  }
}
