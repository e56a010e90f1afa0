import Foundation
import RallyWire
import Synchronization

/// Tells things on the desktop, never on the thread of who asks for it.
///
/// Calls are carried out one after the other by small threads, which exist only while there is
/// something to do.
public final class DesktopNotifier: Sendable {
  private struct Queue {
    var jobs: [@Sendable () -> Void] = []
    var isWorking = false
  }

  private let bus: SessionBus
  private let queue = Mutex(Queue())

  /// Nil where no session bus of the person's own is known.
  ///
  /// - Parameter environment: Asked for the bus, and for whether this is an SSH connection.
  public init?(environment: [String: String]) {
    guard let address = SessionBus.address(in: environment) else { return nil }
    bus = SessionBus(address: address)
  }

  public var address: String { bus.address }

  /// Shows an announcement in place of the one before.
  ///
  /// - Returns: Why it was not shown; nil when it was.
  public func show(_ announcement: Announcement) async -> String? {
    await perform { bus throws(SessionBus.Problem) in
      try bus.show(title: "Rally", text: announcement.text)
    }
  }

  /// Takes away what was shown last: it was seen.
  public func close() async {
    _ = await perform { bus throws(SessionBus.Problem) in try bus.close() }
  }

  /// The server of the desktop: `gnome-shell (body-markup)`, or why there is none.
  public func examine() async -> (server: String?, problem: String?) {
    let found = Mutex<String?>(nil)
    let problem = await perform { bus throws(SessionBus.Problem) in
      let server = try bus.server()
      found.withLock { $0 = server.name.cleanedForDisplay }
    }
    return (found.withLock(\.self), problem)
  }

  private func perform(
    _ act: @escaping @Sendable (SessionBus) throws(SessionBus.Problem) -> Void
  ) async -> String? {
    await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
      let bus = bus
      add {
        do throws(SessionBus.Problem) {
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
    let thread = Thread { [self] in
      while let job = next() { job() }
    }
    thread.name = "rally.bus"
    thread.stackSize = 256 << 10
    thread.start()
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
