import FoundationEssentials
import Glibc
import RallyText

/// Reads a password; never from a flag.
///
/// In this order: one line of standard input with `--password-stdin`, `RALLY_PASSWORD`, a prompt
/// on the terminal without echo.
package struct PasswordInput {
  private let fromStandardInput: Bool
  private let environment = ProcessInfo.processInfo.environment

  package init(fromStandardInput: Bool) { self.fromStandardInput = fromStandardInput }

  /// - Parameter isNew: whether a prompt asks twice.
  /// - Throws: `VerbFailure` without a terminal to ask on.
  package func read(isNew: Bool) throws -> String {
    if fromStandardInput {
      guard let line = readLine(strippingNewline: true), !line.isEmpty else {
        throw VerbFailure(.usage, "Standard input holds no password.")
      }
      return line
    }
    if let password = environment["RALLY_PASSWORD"], !password.isEmpty { return password }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw VerbFailure(
        .usage, "There is no terminal to ask for the password.",
        advice: "Give it with --password-stdin or in RALLY_PASSWORD.")
    }
    let password = try prompt("Password: ")
    if isNew, try prompt("Once more: ") != password {
      throw VerbFailure(.usage, "The two passwords differ.")
    }
    return password
  }

  private func prompt(_ label: String) throws -> String {
    var saved = termios()
    guard tcgetattr(STDIN_FILENO, &saved) == 0 else {
      throw VerbFailure(.failed, "The terminal does not answer.")
    }
    Output.write(label, to: STDERR_FILENO)
    var silent = saved
    silent.c_lflag &= ~tcflag_t(ECHO)
    Self.echoing = saved
    let before = Self.restoreEchoOnSignals()
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
      Output.write("\n", to: STDERR_FILENO)
      for (number, var action) in before { sigaction(number, &action, nil) }
    }
    guard let line = readLine(strippingNewline: true) else {
      throw VerbFailure(.failed, "No password was given.")
    }
    return line
  }
  /// The terminal settings with echo, for the signal handler.
  ///
  /// Written before the handlers are installed, and read by them alone.
  nonisolated(unsafe) private static var echoing = termios()

  /// Restores the echo before a signal terminates the program as by default.
  ///
  /// A signal cannot interrupt the read: the library restarts it, and the signal may arrive on
  /// another thread. The handler calls only async-signal-safe functions.
  ///
  /// - Returns: The previous signal actions.
  private static func restoreEchoOnSignals() -> [(Int32, sigaction)] {
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { number in
      var action = sigaction()
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      action.__sigaction_handler.sa_handler = { number in
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &PasswordInput.echoing)
        raise(number)
      }
      var before = sigaction()
      sigaction(number, &action, &before)
      return (number, before)
    }
  }
}

/// A question before something that cannot be undone.
package struct Confirmation {
  /// `--yes`.
  package var isGiven: Bool

  package init(isGiven: Bool) { self.isGiven = isGiven }

  /// Asks on a terminal; without one `--yes` is required.
  ///
  /// - Parameter reason: Why it is asked, as a sentence; printed with and without a terminal.
  /// - Throws: `VerbFailure` unless the answer is yes.
  package func require(_ question: String, because reason: String? = nil) throws {
    if isGiven { return }
    guard Self.isPossible else {
      let refusal = "There is no terminal to confirm this on."
      throw VerbFailure(
        .usage, [reason, refusal].compactMap(\.self).joined(separator: " "),
        advice: "Use --yes to confirm.")
    }
    if let reason { Output.say(reason) }
    guard Self.isAgreed(question) else { throw VerbFailure(.failed, "Nothing was changed.") }
  }

  /// Whether there is a terminal to ask on.
  package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks on a terminal.
  package static func isAgreed(_ question: String) -> Bool {
    Output.write(Output.printed("\(question) [y/N] ", .ofProcess), to: STDERR_FILENO)
    let answer = readLine(strippingNewline: true)?.trimmed
    return ["y", "yes"].contains(answer?.lowercased())
  }
}
