import FoundationEssentials
import Glibc
import Observation
import RallyClient
import RallySystem
import RallyWire

/// The status that the open interface of a profile keeps, for programs that only read it.
public struct StatusFile: Sendable {
  /// Why there is no status.
  public enum Problem: ReportableError, Hashable, Sendable {
    case notSignedIn
    /// No interface of this account was open yet.
    case nothingKept

    public var sentence: String {
      switch self {
      case .notSignedIn: "You are not signed in."
      case .nothingKept: "Nothing is known yet: open Rally once."
      }
    }
  }

  private let folder: String
  private let tokens: TokenStore
  public let lock: ClientLock

  /// - Parameter server: As `ServerChoice.name`.
  public init(folders: RallyFolders, server: String) {
    folder = "\(folders.profileCache)/\(ServerName.fileName(for: server))"
    tokens = TokenStore(folder: folders.profileState, server: server)
    lock = ClientLock(folders: folders)
  }

  /// Whether a client that keeps the status runs.
  public var isOpen: Bool { lock.isHeld }

  /// Reads files only, and blocks for as long.
  public func read() throws(Problem) -> ClientStatus {
    guard let session = tokens.load() else { throw .notSignedIn }
    let path = "\(folder)/\(ClientStatus.key(userID: session.user.id)).json"
    guard let data = try? PrivateFiles.read(path),
      let status = try? WireJSON.decode(ClientStatus.self, from: data)
    else { throw .nothingKept }
    return status
  }

  /// One element after the status may have changed.
  public func changes() -> AsyncStream<Void> { FolderWatch.shared.changes(in: folder) }
}

/// Keeps the status file of the open interface; it is written at most once a second.
@MainActor
public final class StatusKeeper {
  private let writer: SnapshotWriter<ClientStatus>
  private let now: () -> WireTime
  private let pause: Duration
  private var current: (@MainActor () -> ClientStatus?)?
  private var pending: Task<Void, Never>?

  init(
    authService: AuthService, persistenceService: PersistenceService,
    pause: Duration = .seconds(1), now: @escaping () -> WireTime = { .now }
  ) {
    writer = SnapshotWriter(
      authService: authService, persistenceService: persistenceService, savePause: .seconds(60))
    self.pause = pause
    self.now = now
  }

  deinit { pending?.cancel() }

  /// Begins to keep what `status` returns, which runs again at each `changed`.
  public func start(_ status: @escaping @MainActor () -> ClientStatus?) {
    current = status
    changed()
  }

  /// Has nothing written from now on: another client keeps the file, or none does.
  public func stop() {
    current = nil
    pending?.cancel()
    pending = nil
  }

  /// Something that the status shows has changed.
  public func changed() {
    guard current != nil, pending == nil else { return }
    pending = Task { [weak self, pause] in
      guard (try? await DispatchSleep.for(pause)) != nil else { return }
      self?.write()
    }
  }

  /// Returns once what holds now is written, with its time.
  public func saveState() async {
    write()
    await writer.finish()
  }

  private func write() {
    pending = nil
    if let status = current?() { writer.save(status) }
  }
}

/// The lock of the interface that acts for a profile: keeps its status, runs its hooks and opens
/// links. `flock` on `client.lock` in the profile's folder, which the kernel releases however the
/// process ends.
public struct ClientLock: Sendable {
  private let folder: String
  private var path: String { "\(folder)/client.lock" }
  private static let flags = O_RDWR | O_CREAT

  public init(folders: RallyFolders) { folder = folders.profileState }

  /// Waits in a thread, without any wake-up, until no other process holds the lock.
  ///
  /// - Returns: Whether this process holds it now, until it ends; false if the file cannot be used.
  public func take() async -> Bool {
    await withCheckedContinuation { continuation in
      BackgroundThread.start("rally.client") {
        continuation.resume(returning: lock(LOCK_EX) != nil)
      }
    }
  }

  /// Waits in a thread, without any wake-up, until no process holds the lock.
  public func waitUntilFree() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      BackgroundThread.start("rally.client") {
        if let descriptor = lock(LOCK_SH) { FileLock.release(descriptor) }
        continuation.resume()
      }
    }
  }

  /// Whether a process holds the lock now.
  public var isHeld: Bool {
    (try? PrivateFiles.makeFolder(folder)) != nil && FileLock.isHeld(path, flags: Self.flags)
  }

  /// - Returns: The locked file; nil if it cannot be used.
  private func lock(_ how: Int32) -> Int32? {
    guard (try? PrivateFiles.makeFolder(folder)) != nil else { return nil }
    return try? FileLock.take(path, how, flags: Self.flags)
  }
}

/// Whether this is the client that acts for its profile, of the interfaces that are open.
///
/// The first to be opened is; when it ends, one of the others. It keeps the status for other
/// programs, runs the hooks and opens links.
@MainActor
@Observable
public final class ActingClient {
  public private(set) var isActing = false
  @ObservationIgnored private let lock: ClientLock

  public init(folders: RallyFolders) { lock = ClientLock(folders: folders) }

  /// Waits until it is this client's turn.
  public func waitForTurn() async {
    guard !isActing, await lock.take() else { return }
    isActing = true
  }
}
