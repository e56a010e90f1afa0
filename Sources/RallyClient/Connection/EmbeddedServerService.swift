import FoundationEssentials
import Glibc
import Logging
import RallySystem
import RallyText
import RallyWire
import Synchronization

/// Finds the server of this machine's data folder, or starts it.
///
/// The server is a separate process, so that ^Z or a crash of one client does not stop it for the
/// others. It exits some seconds after its last client. If two clients start it at the same time,
/// the server's lock decides: the second process exits and both clients use the first.
public final class EmbeddedServerService: Sendable {
  private let data: String
  private let runtime: String
  private let executable: String
  private let transport: Transport
  private let log = RallyLog.logger("EmbeddedServer")

  /// How long a server may take from its start to its first response.
  static let patience: Duration = .seconds(20)
  /// How many servers may end right after their start, with no other one running, before the last
  /// one's error counts.
  private static let mostStarts = 4

  /// - Parameter executable: The program that understands `serve --embedded`.
  public init(folders: RallyFolders, executable: String, transport: Transport = .live) {
    data = folders.data
    runtime = folders.runtime
    self.executable = executable
    self.transport = transport
  }

  /// The server's own log.
  public var logPath: String { "\(data)/server.log" }

  private var lockPath: String { "\(data)/server.lock" }

  /// Where the server listens: short enough for a socket's address (107 bytes), one per folder.
  public var socketPath: String {
    let real = realpath(data, nil)
    defer { free(real) }
    let folder = real.map { String(cString: $0) } ?? data
    return "\(runtime)/\(ServerName.hash(folder)).sock"
  }

  /// The running server's greeting, without starting one; nil if none responds.
  @concurrent public func running() async -> ServerGreeting? {
    try? await greeting(at: socketPath)
  }

  /// The address of a running server; starts one if there is none.
  ///
  /// - Throws: `EmbeddedServerError`, or `CancellationError`.
  @concurrent public func prepare() async throws -> ServerAddress {
    try makeFolders()
    if let address = try await answering() { return address }
    log.info("start — no server answers")
    var child = try start()
    var starts = 1
    let deadline = ContinuousClock.now + Self.patience
    var pause = Duration.milliseconds(5)
    while ContinuousClock.now < deadline {
      try await DispatchSleep.for(pause)
      pause = min(pause * 2, .milliseconds(160))
      if let address = try await answering() { return address }
      // The previous server may have held the lock while it was exiting.
      guard child.hasEnded, pause == .milliseconds(160) else { continue }
      if starts >= Self.mostStarts, !isLocked {
        throw EmbeddedServerError.ended(
          words: ServerProcess.lastWords(inLog: logPath), log: logPath)
      }
      child = try start()
      starts += 1
    }
    throw EmbeddedServerError.noAnswer(log: logPath)
  }

  /// The address of the server that holds the data folder's lock; nil if none does yet.
  private func answering() async throws -> ServerAddress? {
    let path = socketPath
    // The server of a folder that was removed since may still answer there.
    if let greeting = try await greeting(at: path), notedOwner?.pid == greeting.pid {
      return ServerAddress(endpoint: .unixSocket(path: path), key: greeting.key)
    }
    guard let owner = lockOwner() else { return nil }
    if let url = owner.url { throw EmbeddedServerError.servedElsewhere(url: url) }
    // It was started from a session with another runtime folder.
    if let other = owner.socket, other != path, let greeting = try await greeting(at: other) {
      return ServerAddress(endpoint: .unixSocket(path: other), key: greeting.key)
    }
    // A logout may have removed the socket with its folder: the server listens again when asked.
    if let socket = owner.socket, FileFacts(socket) == nil { notifyServer() }
    return nil
  }

  /// Has the server of the folder look at its socket.
  private func notifyServer() {
    let file = open("\(data)/server.bell", O_WRONLY | O_CLOEXEC)
    if file >= 0 { close(file) }
  }

  private func greeting(at path: String) async throws -> ServerGreeting? {
    // The key must come from a server of the same user.
    guard let facts = FileFacts(path), facts.isMine else { return nil }
    do {
      return try await SupabaseClient.greeting(
        of: .unixSocket(path: path), transport: transport)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return nil
    }
  }

  // MARK: - Folders

  private func makeFolders() throws(EmbeddedServerError) {
    do throws(FileError) {
      try PrivateFiles.makeFolder(data)
      if FileFacts(runtime) == nil { try PrivateFiles.makeFolder(runtime) }
    } catch {
      throw .notStarted("\(error.path): \(error.reason)")
    }
    guard let facts = FileFacts(runtime), facts.isFolder, facts.isMine,
      facts.isPrivate || chmod(runtime, 0o700) == 0
    else { throw .unsafeFolder(runtime) }
  }

  /// Whether a server holds the data folder's lock, also one that has not noted yet where it
  /// listens.
  private var isLocked: Bool { FileLock.isHeld(lockPath) }

  /// The last holder of the data folder's lock.
  private var notedOwner: LockOwner? {
    (try? PrivateFiles.read(lockPath)).flatMap {
      try? WireJSON.decode(LockOwner.self, from: $0)
    }
  }

  /// The holder of the data folder's lock, if that process is running.
  private func lockOwner() -> LockOwner? {
    guard let owner = notedOwner, kill(owner.pid, 0) == 0 || errno == EPERM
    else { return nil }
    return owner
  }

  private func start() throws -> ServerProcess {
    guard access(executable, X_OK) == 0 else {
      throw EmbeddedServerError.notStarted("\(executable) is not a program")
    }
    do {
      return try ServerProcess.start(
        executable,
        arguments: ["serve", "--embedded", "--data", data, "--socket", socketPath], log: logPath)
    } catch {
      throw EmbeddedServerError.notStarted(error.systemReason)
    }
  }
}

/// The line in `server.lock`: the process that holds the folder, and its address.
private struct LockOwner: Decodable {
  var pid: Int32
  var url: String?
  var socket: String?
}

/// Owner and mode of a file, without following links.
private struct FileFacts {
  private let status: stat

  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.status = status
  }

  var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
  var isMine: Bool { status.st_uid == getuid() }
  var isPrivate: Bool { status.st_mode & 0o077 == 0 }
}

/// A server process that outlives the client which started it.
///
/// It runs in its own session, so that it gets no signals of the client's terminal. It has default
/// signal dispositions, and no open files but its log and the given ones.
public final class ServerProcess: Sendable {
  public let pid: Int32
  private let ended = Mutex(false)

  /// Whether it has exited.
  public var hasEnded: Bool { ended.withLock { $0 } }

  private init(pid: Int32) { self.pid = pid }

  /// - Parameters:
  ///   - log: The file (0600) for standard output and error.
  ///   - input: Standard input; nil for none.
  ///   - output: Standard output; nil for the log.
  /// - Throws: `POSIXError`.
  public static func start(
    _ executable: String, arguments: [String], log: String, input: Int32? = nil,
    output: Int32? = nil
  ) throws(POSIXError) -> ServerProcess {
    let process = ServerProcess(
      pid: try spawn(executable, arguments, log: log, input: input, output: output))
    process.reap()
    return process
  }

  /// The last error in a server's log, as one line; empty if there is none.
  public static func lastWords(inLog path: String) -> String {
    let end = (FileManager.default.contents(atPath: path) ?? Data()).suffix(2000)
    let lines = String(decoding: end, as: UTF8.self).split(separator: "\n")
    let mark = "rally: "
    let start = lines.lastIndex { $0.hasPrefix(mark) } ?? max(0, lines.count - 3)
    let words = lines[start...].joined(separator: " ")
    return (words.hasPrefix(mark) ? String(words.dropFirst(mark.count)) : words).cleanedForDisplay
  }

  /// Waits until it has exited, and kills it when that takes too long.
  public func end(within limit: Duration) async {
    let deadline = ContinuousClock.now + limit
    while !hasEnded {
      // Returning early is fine: the process was already asked to exit.
      guard (try? await DispatchSleep.for(.milliseconds(10))) != nil else { return }
      if ContinuousClock.now > deadline { kill(pid, SIGKILL) }
    }
  }

  /// Waits for the exit in a thread of its own, so that no zombie is left without polling.
  private func reap() {
    BackgroundThread.start("rally.reaper") { [self] in
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      ended.withLock { $0 = true }
    }
  }

  private static func spawn(
    _ executable: String, _ arguments: [String], log: String, input: Int32?, output: Int32?
  ) throws(POSIXError) -> Int32 {
    // It stays, and the folder where the client was started may be to be unmounted.
    try ChildProgram.spawn(
      executable, [executable] + arguments, hasOwnSession: true, folder: "/"
    ) { actions in
      if let input {
        posix_spawn_file_actions_adddup2(&actions, input, 0)
      } else {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      }
      posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      posix_spawn_file_actions_adddup2(&actions, output ?? 2, 1)
    }
  }
}
