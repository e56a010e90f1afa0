import Dispatch
import FoundationEssentials
import Glibc
import Logging
import RallyText
import Synchronization

/// Observes changes to `config.toml`.
///
/// Uses inotify; does not poll. Watches the folder, not the file, since editors replace the file.
public final class ConfigurationWatch: Sendable {
  private static let debounceInterval = DispatchTimeInterval.milliseconds(50)
  /// Symbolic links to follow before assuming a cycle.
  private static let mostLinks = 8

  private let service: ConfigurationService
  private let queue = DispatchQueue(label: "rally.configuration", qos: .utility)
  private let log = RallyLog.logger("Configuration")
  private let state = Mutex(State())

  private struct State {
    var session = 0
    var source: (any DispatchSourceRead)?
    var continuation: AsyncStream<ConfigurationLoadResult>.Continuation?
    /// inotify watch descriptors by folder.
    var folders: [String: Int32] = [:]
    var content: Data?
    var isLookDue = false
  }

  public init(service: ConfigurationService) { self.service = service }

  /// The path of the configuration.
  public var file: String { service.file }

  deinit { stop() }

  /// Starts observing. The stream yields every reading whose content differs from the previous one.
  ///
  /// - Parameter reading: The current reading, which is not yielded.
  public func changes(since reading: ConfigurationLoadResult) -> AsyncStream<
    ConfigurationLoadResult
  > {
    stop()
    let (stream, continuation) = AsyncStream.makeStream(
      of: ConfigurationLoadResult.self, bufferingPolicy: .bufferingNewest(1))
    let session = state.withLock { state in
      state.continuation = continuation
      state.content = reading.content
      return state.session
    }
    queue.async { [self] in begin(session) }
    return stream
  }

  /// Stops observing and ends the stream.
  public func stop() {
    let ended = state.withLock { state in
      let ended = state
      state = State(session: ended.session + 1)
      return Ended(source: ended.source, continuation: ended.continuation)
    }
    ended.source?.cancel()
    ended.continuation?.finish()
  }

  /// The parts of the state that are ended outside of the lock.
  private struct Ended: @unchecked Sendable {
    // Safe: dispatch objects may be used from any thread; the Linux overlay lacks the annotation.
    let source: (any DispatchSourceRead)?
    let continuation: AsyncStream<ConfigurationLoadResult>.Continuation?
  }

  private func begin(_ session: Int) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else {
      return log.warning("cannot be watched — errno \(errno)")
    }
    let events = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    events.setEventHandler { [weak self] in
      Self.drain(descriptor)
      self?.lookSoon(session, descriptor)
    }
    events.setCancelHandler { close(descriptor) }
    let source = Ended(source: events, continuation: nil)
    events.activate()
    let isCurrent = state.withLock { state in
      guard state.session == session else { return false }
      state.source = source.source
      return true
    }
    guard isCurrent else { return events.cancel() }
    // Adds the watches before reading, so that no change in between is missed.
    look(session, descriptor)
  }

  private static func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &buffer, buffer.count) > 0 {}
  }

  /// Debounces: saving a file can cause five events.
  private func lookSoon(_ session: Int, _ descriptor: Int32) {
    let isFirst = state.withLock { state in
      defer { state.isLookDue = true }
      return state.session == session && !state.isLookDue
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + Self.debounceInterval) { [weak self] in
      self?.look(session, descriptor)
    }
  }

  private func look(_ session: Int, _ descriptor: Int32) {
    let isCurrent = state.withLock { state in
      state.isLookDue = false
      return state.session == session
    }
    guard isCurrent else { return }
    arm(session, descriptor)
    let reading = service.load()
    let continuation = state.withLock { state in
      guard state.session == session, state.content != reading.content else {
        return nil as AsyncStream<ConfigurationLoadResult>.Continuation?
      }
      state.content = reading.content
      return state.continuation
    }
    guard let continuation else { return }
    log.info("read again — problems=\(reading.problems.count)")
    continuation.yield(reading)
  }

  // MARK: Folders

  /// Watches the folders of the file and of its symbolic link targets; for missing folders, the
  /// nearest existing parent.
  private func arm(_ session: Int, _ descriptor: Int32) {
    var wanted = foldersToWatch()
    var folders: [String: Int32] = [:]
    var watches: Set<Int32> = []
    for _ in 0..<Self.mostLinks {
      folders = [:]
      for (path, mask) in wanted {
        let watch = inotify_add_watch(descriptor, path, mask)
        if watch >= 0 { folders[path] = watch }
      }
      watches.formUnion(folders.values)
      // A folder created before its parent was watched causes no event, so check again.
      let now = foldersToWatch()
      if now == wanted { break }
      wanted = now
    }
    let former = state.withLock { state in
      guard state.session == session else { return [:] as [String: Int32] }
      defer { state.folders = folders }
      return state.folders
    }
    let kept = Set(folders.values)
    for watch in watches.union(former.values).subtracting(kept) {
      inotify_rm_watch(descriptor, watch)
    }
  }

  private func foldersToWatch() -> [String: UInt32] {
    var wanted: [String: UInt32] = [:]
    var path = service.file
    for _ in 0..<Self.mostLinks {
      let folder = path.parentPath
      let watched = Self.nearestFolder(folder.isEmpty ? "." : folder)
      wanted[watched.path, default: 0] |= watched.isItself ? Self.everything : Self.arrivals
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        break
      }
      path = link.hasPrefix("/") ? link : "\(folder.isEmpty ? "." : folder)/\(link)"
    }
    return wanted
  }

  private static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
  private static let everything =
    arrivals | UInt32(IN_CLOSE_WRITE | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)

  /// The folder, or its nearest existing parent.
  private static func nearestFolder(_ path: String) -> (path: String, isItself: Bool) {
    var nearest = path
    var isFolder = false
    while !FileManager.default.fileExists(atPath: nearest, isDirectory: &isFolder) || !isFolder {
      let parent = nearest.parentPath
      if parent.isEmpty || parent == nearest { return (nearest.hasPrefix("/") ? "/" : ".", false) }
      nearest = parent
    }
    return (nearest, nearest == path)
  }
}
