import FoundationEssentials
import Glibc
import RallySystem
import RallyText
import Synchronization

/// A server process that outlives the client which started it.
///
/// It runs in its own session (so that it gets no signals of the client's terminal), with default
/// signal dispositions, and with no open files but its log and the given ones.
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
