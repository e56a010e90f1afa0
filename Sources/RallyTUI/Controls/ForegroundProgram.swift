import FoundationEssentials
import Glibc
import RallyDomain
import RallySystem
import TerminalKit

/// A program that has the terminal for a while, in the job of this one: the shell's ^Z and fg act on
/// both.
enum ForegroundProgram {
  /// Runs it to its end on the interface's terminal, which is taken back afterwards.
  ///
  /// - Parameter arguments: The first is its name.
  /// - Returns: How it failed, continuing "The editor": `ended with status 1`; nil when it did not.
  static func run(
    _ executable: String, _ arguments: [String], on terminal: TerminalControl
  ) async -> String? {
    let failure = await terminal.lend { descriptor in
      await run(executable, arguments, terminal: descriptor)
    }
    return if let failure { failure } else { "has no terminal" }
  }

  private static func run(
    _ executable: String, _ arguments: [String], terminal: Int32
  ) async -> String? {
    await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
      BackgroundThread.start("rally.editor") {
        continuation.resume(returning: wait(executable, arguments, terminal: terminal))
      }
    }
  }

  nonisolated private static func wait(
    _ executable: String, _ arguments: [String], terminal: Int32
  ) -> String? {
    let pid: pid_t
    do throws(POSIXError) {
      pid = try ChildProgram.spawn(executable, arguments) { actions in
        for descriptor in 0...2 as ClosedRange<Int32> {
          posix_spawn_file_actions_adddup2(&actions, terminal, descriptor)
        }
      }
    } catch {
      return "could not be started (\(error.code))"
    }
    var status: Int32 = 0
    while true {
      let found = waitpid(pid, &status, WUNTRACED)
      if found < 0, errno == EINTR { continue }
      guard found == pid else { return "is not known any more" }
      guard status & 0xFF == 0x7F else { break }
      // It stopped itself alone: the rest of the job follows, so that the shell comes back. Where
      // no shell waits nobody would ever continue it.
      if !ProcessGroup.stop() { kill(pid, SIGCONT) }
    }
    takeForeground(terminal)
    let signal = status & 0x7F
    if signal != 0 { return "was ended by signal \(signal)" }
    let code = (status >> 8) & 0xFF
    if code == 127 { return "is not there; set VISUAL or EDITOR" }
    // The shell between says so of a program that a signal ended.
    if code > 128 { return "was ended by signal \(code - 128)" }
    return code == 0 ? nil : "ended with status \(code)"
  }

  /// A program with job control of its own that died may have left its group in the foreground.
  nonisolated private static func takeForeground(_ terminal: Int32) {
    var blocked = sigset_t()
    var former = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &blocked, &former)
    if tcgetpgrp(terminal) != getpgrp() { tcsetpgrp(terminal, getpgrp()) }
    pthread_sigmask(SIG_SETMASK, &former, nil)
  }
}
