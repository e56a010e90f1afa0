import Dispatch
import FoundationEssentials
import Glibc
import Logging
import RallyClient
import RallySystem
import RallyText
import Synchronization

/// Observes changes to `config.toml` and `settings.toml`.
///
/// Watches the folder, not the file, since editors replace the file.
public final class ConfigurationWatch: Sendable {
  private static let debounceInterval = DispatchTimeInterval.milliseconds(50)
  /// Symbolic links to follow before assuming a cycle.
  private static let mostLinks = 8

  public let service: ConfigurationService
  private let folderWatch: FolderWatch
  private let queue = DispatchQueue(label: "rally.configuration", qos: .utility)
  private let log = RallyLog.logger("Configuration")
  private let state = Mutex(State())

  private struct State {
    var session = 0
    var continuation: AsyncStream<ConfigurationLoadResult>.Continuation?
    var subscriptions: [FolderWatch.Subscription] = []
    var contents: [Data?] = []
    var isLookDue = false
  }

  public convenience init(service: ConfigurationService) {
    self.init(service: service, folderWatch: .shared)
  }

  init(service: ConfigurationService, folderWatch: FolderWatch) {
    self.service = service
    self.folderWatch = folderWatch
  }

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
      state.contents = reading.contents
      return state.session
    }
    queue.async { [self] in look(session) }
    return stream
  }

  /// Stops observing and ends the stream.
  public func stop() {
    let ended = state.withLock { state in
      defer { state = State(session: state.session + 1) }
      return state
    }
    ended.continuation?.finish()
  }

  /// Debounces: saving a file can cause five events.
  private func lookSoon(_ session: Int) {
    let isFirst = state.withLock { state in
      guard state.session == session, !state.isLookDue else { return false }
      state.isLookDue = true
      return true
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + Self.debounceInterval) { [weak self] in
      self?.look(session)
    }
  }

  /// Watches the folders before it reads, so that no change in between is missed.
  private func look(_ session: Int) {
    let isCurrent = state.withLock { state in
      guard state.session == session else { return false }
      state.isLookDue = false
      return true
    }
    guard isCurrent else { return }
    subscribe(session)
    let reading = service.load()
    let continuation = state.withLock { state in
      guard state.session == session, state.contents != reading.contents else {
        return nil as AsyncStream<ConfigurationLoadResult>.Continuation?
      }
      state.contents = reading.contents
      return state.continuation
    }
    guard let continuation else { return }
    log.info("read again — problems=\(reading.problems.count)")
    continuation.yield(reading)
  }

  // MARK: Folders

  /// Watches the folders of the file and of its symbolic link targets; for missing folders, the
  /// nearest existing parent.
  private func subscribe(_ session: Int) {
    var wanted: [String: UInt32] = [:]
    var subscriptions: [FolderWatch.Subscription] = []
    // A folder created before its parent was watched causes no event, so check again.
    for _ in 0..<Self.mostLinks {
      let now = foldersToWatch()
      if now == wanted { break }
      wanted = now
      subscriptions = now.map { path, events in
        folderWatch.subscribe(to: path, events: events) { [weak self] in self?.lookSoon(session) }
      }
    }
    let former = state.withLock { state in
      guard state.session == session else { return [] as [FolderWatch.Subscription] }
      defer { state.subscriptions = subscriptions }
      return state.subscriptions
    }
    // Ended only now: a folder that is watched further is never without a subscription.
    withExtendedLifetime(former) {}
  }

  private func foldersToWatch() -> [String: UInt32] {
    var wanted: [String: UInt32] = [:]
    for file in [service.file, service.settingsFile].compactMap(\.self) {
      var path = file
      for _ in 0..<Self.mostLinks {
        let folder = path.parentPath
        let watched = Self.nearestFolder(folder.isEmpty ? "." : folder)
        wanted[watched.path, default: 0] |= watched.isItself ? Self.everything : Self.arrivals
        guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
          break
        }
        path = link.hasPrefix("/") ? link : "\(folder.isEmpty ? "." : folder)/\(link)"
      }
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
