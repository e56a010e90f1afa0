import Foundation
import Logging
import Synchronization

/// Receives notifications of other servers' commits on the same database, and sends them of this
/// server's.
///
/// A notification has no content. It is sent after the commit, since NOTIFY within a transaction
/// serializes all commits. A lost one only delays reading by a second.
final class PostgresListener: Sendable {
  private struct State {
    var isEnding = false
    /// Whether a notification is to be sent.
    var isSignalled = false
    var onChange: (@Sendable () -> Void)?
  }

  /// The state shared with the thread, which does not retain the listener.
  private final class Shared: Sendable {
    let state = Mutex(State())
    /// The ends of a pipe that wakes the thread.
    let waking: (reading: Int32, writing: Int32)
    let thread = DispatchGroup()

    init(_ pipe: (reading: Int32, writing: Int32)) { waking = pipe }

    deinit {
      _ = Foundation.close(waking.reading)
      _ = Foundation.close(waking.writing)
    }

    func wake() {
      var byte: UInt8 = 0
      // A full pipe wakes the thread as well.
      _ = write(waking.writing, &byte, 1)
    }

    func drain() {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(waking.reading, &bytes, bytes.count) == bytes.count {}
    }
  }

  /// Milliseconds after which the feed is read without a notification.
  private static let interval: Int32 = 1000
  private static let channel = "rally_changes"

  private let shared: Shared

  init(_ address: PostgresAddress) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw StorageFailure(kind: .other, message: String(cString: strerror(errno)))
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    let shared = Shared((ends[0], ends[1]))
    self.shared = shared
    shared.thread.enter()
    let thread = Thread {
      PostgresListener.listen(through: PostgresConnection(address), shared)
      shared.thread.leave()
    }
    thread.name = "postgres feed"
    thread.start()
  }

  deinit { end() }

  func onChange(_ body: @escaping @Sendable () -> Void) {
    shared.state.withLock { $0.onChange = body }
  }

  /// Notifies the other servers, soon.
  func announce() {
    let isFirst = shared.state.withLock { state in
      defer { state.isSignalled = true }
      return !state.isSignalled
    }
    if isFirst { shared.wake() }
  }

  func end() {
    shared.state.withLock { $0.isEnding = true }
    shared.wake()
  }

  func close() {
    end()
    shared.thread.wait()
  }

  private static func listen(through connection: PostgresConnection, _ shared: Shared) {
    var isListening = false
    while true {
      let (isEnding, isSignalled, onChange) = shared.state.withLock { state in
        defer { state.isSignalled = false }
        return (state.isEnding, state.isSignalled, state.onChange)
      }
      if isEnding, !isSignalled { break }
      do {
        if !isListening {
          try connection.open()
          try connection.executeScript("LISTEN \(channel)")
          isListening = true
        }
        if isSignalled {
          try connection.executeScript("NOTIFY \(channel)")
          onChange?()
        }
        if try connection.takeNotifications() { onChange?() }
      } catch {
        // The feed is read every second meanwhile; listening is retried then.
        connection.close()
        isListening = false
      }
      // The last commit was announced, or cannot be.
      if isEnding { break }
      var waits = [
        pollfd(fd: shared.waking.reading, events: Int16(POLLIN), revents: 0),
        pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&waits, UInt(waits.count), interval) == 0 { onChange?() }
      shared.drain()
    }
    connection.close()
  }
}
