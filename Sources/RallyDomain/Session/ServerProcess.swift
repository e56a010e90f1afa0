import Foundation
import Synchronization

/// A server process that outlives the client which started it.
///
/// It has a session of its own (no signal of the client's terminal reaches it), default signal
/// dispositions, and nothing open but its log and what it is given.
public final class ServerProcess: Sendable {
  public let pid: Int32
  private let ended = Mutex(false)

  /// Whether it has ended already.
  public var hasEnded: Bool { ended.withLock { $0 } }

  private init(pid: Int32) { self.pid = pid }

  /// - Parameters:
  ///   - log: The file (0600) that takes standard output and error.
  ///   - input: What it reads instead of nothing.
  ///   - output: What takes its standard output instead of the log.
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

  /// Waits until it has ended, and ends it by force when that takes too long.
  public func end(within limit: Duration) async {
    let deadline = ContinuousClock.now + limit
    while !hasEnded {
      // Nothing is left undone by an early return: the process is told to end already.
      guard (try? await DispatchSleep.for(.milliseconds(10))) != nil else { return }
      if ContinuousClock.now > deadline { kill(pid, SIGKILL) }
    }
  }

  /// Waits for the end in a small thread of its own, so that no zombie is left behind and nobody
  /// has to look.
  private func reap() {
    let thread = Thread { [self] in
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      ended.withLock { $0 = true }
    }
    thread.name = "rally.reaper"
    thread.stackSize = 128 << 10
    thread.start()
  }

  /// What this process has open; a close of one that is gone by then is ignored by `posix_spawn`.
  private static var openDescriptors: [Int32] {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?
      .compactMap(Int32.init) ?? []
  }

  private static func spawn(
    _ executable: String, _ arguments: [String], log: String, input: Int32?, output: Int32?
  ) throws(POSIXError) -> Int32 {
    try ChildProgram.spawn(executable, [executable] + arguments, hasOwnSession: true) { actions in
      if let input {
        posix_spawn_file_actions_adddup2(&actions, input, 0)
      } else {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      }
      posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      posix_spawn_file_actions_adddup2(&actions, output ?? 2, 1)
      for descriptor in openDescriptors where descriptor > 2 {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
    }
  }
}
