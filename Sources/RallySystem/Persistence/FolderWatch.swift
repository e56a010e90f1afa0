import Dispatch
import Glibc
import Logging
import RallyWire
import Synchronization

/// Tells of changes to folders, whichever process made them (inotify); nothing runs in between.
///
/// A process has one instance of inotify for all of its folders. The kernel gives a user 128 of
/// them for all programs (`fs.inotify.max_user_instances`), and every guest of an SSH server is the
/// same user. A folder that cannot be watched counts as changed at every interval, so whoever
/// listens has to compare.
package final class FolderWatch: Sendable {
  package static let shared = FolderWatch(inotify: inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)))
  static let filesReplacedOrDeleted = UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE)

  /// Ends a subscription with its last reference.
  package final class Subscription: Sendable {
    private let id: Int
    private let folderWatch: FolderWatch

    fileprivate init(id: Int, folderWatch: FolderWatch) {
      self.id = id
      self.folderWatch = folderWatch
    }

    deinit { folderWatch.end(id) }
  }

  private struct Subscriber {
    /// inotify's number of the folder; nil where it cannot be watched.
    let folder: Int32?
    let events: UInt32
    let onChange: @Sendable () -> Void
  }

  private struct State {
    var subscribers: [Int: Subscriber] = [:]
    var lastID = 0
    var source: (any DispatchSourceRead)?
    /// Runs while a subscriber's folder cannot be watched.
    var timer: (any DispatchSourceTimer)?
  }

  private let inotify: Int32
  private let interval: Int
  private let queue = DispatchQueue(label: "rally.folders", qos: .utility)
  private let log = RallyLog.logger("FolderWatch")
  private let state = Mutex(State())

  /// - Parameters:
  ///   - inotify: A descriptor that reads without blocking, which is closed here; negative if there
  ///     is none.
  ///   - interval: Milliseconds between two looks at folders that cannot be watched.
  init(inotify: Int32, interval: Int = 5000) {
    self.inotify = inotify
    self.interval = interval
    guard inotify >= 0 else {
      log.warning("no instance of inotify is left, files are read every \(interval) ms")
      return
    }
    state.withLock { $0.source = startSource() }
  }

  deinit {
    state.withLock { state in
      state.source?.cancel()
      state.timer?.cancel()
    }
  }

  /// Blocks until the kernel has looked the folder up.
  ///
  /// - Parameters:
  ///   - events: Bits of inotify, such as `IN_CREATE`.
  ///   - onChange: Called on a dispatch thread; for several changes possibly once, and also without
  ///     any.
  package func subscribe(
    to folder: String, events: UInt32, onChange: @escaping @Sendable () -> Void
  ) -> Subscription {
    let id = state.withLock { state in
      // Subscriptions to one folder share its number.
      let number = inotify_add_watch(inotify, folder, events | UInt32(IN_MASK_ADD))
      state.lastID += 1
      state.subscribers[state.lastID] = Subscriber(
        folder: number >= 0 ? number : nil, events: events, onChange: onChange)
      if number < 0, state.timer == nil { state.timer = startTimer() }
      return state.lastID
    }
    return Subscription(id: id, folderWatch: self)
  }

  /// One element after files of the folder were replaced or deleted; ends where there can be no
  /// folder.
  ///
  /// - Parameter folder: Made where it is missing. Folders inside of it are not watched.
  package func changes(in folder: String) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    queue.async { [self] in
      guard (try? PrivateFiles.makeFolder(folder)) != nil else { return continuation.finish() }
      let subscription = subscribe(to: folder, events: Self.filesReplacedOrDeleted) {
        continuation.yield()
      }
      continuation.onTermination = { _ in withExtendedLifetime(subscription) {} }
    }
    return stream
  }

  private func end(_ id: Int) {
    state.withLock { state in
      guard let ended = state.subscribers.removeValue(forKey: id) else { return }
      let others = state.subscribers.values
      if let folder = ended.folder {
        if !others.contains(where: { $0.folder == folder }) { inotify_rm_watch(inotify, folder) }
      } else if !others.contains(where: { $0.folder == nil }) {
        state.timer?.cancel()
        state.timer = nil
      }
    }
  }

  private func startSource() -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: inotify, queue: queue)
    source.setEventHandler { [weak self] in self?.readEvents() }
    source.setCancelHandler { [inotify] in close(inotify) }
    source.activate()
    return source
  }

  private func startTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + .milliseconds(interval), repeating: .milliseconds(interval),
      leeway: .milliseconds(interval / 10))
    timer.setEventHandler { [weak self] in self?.call { $0.folder == nil } }
    timer.activate()
    return timer
  }

  private func readEvents() {
    var events: [Int32: UInt32] = [:]
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(inotify, &buffer, buffer.count), count > 0 {
      buffer.withUnsafeBytes { bytes in
        var offset = 0
        while offset < count {
          let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          events[event.wd, default: 0] |= event.mask
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    let isLossy = events.values.contains { $0 & UInt32(IN_Q_OVERFLOW) != 0 }
    call { subscriber in
      let seen = subscriber.folder.flatMap { events[$0] } ?? 0
      return isLossy || seen & subscriber.events != 0
    }
  }

  private func call(where isMeant: (Subscriber) -> Bool) {
    let meant = state.withLock { $0.subscribers.values.filter(isMeant) }
    for subscriber in meant { subscriber.onChange() }
  }
}
