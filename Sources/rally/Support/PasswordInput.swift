import Foundation

/// Where a password comes from: never from a flag.
///
/// In this order: one line of standard input with `--password-stdin`, `RALLY_PASSWORD`, a prompt
/// on the terminal without echo.
struct PasswordInput {
  var fromStandardInput: Bool
  var environment = ProcessInfo.processInfo.environment

  /// - Parameter isNew: whether a prompt asks twice.
  /// - Throws: `VerbFailure` when there is nobody to ask.
  func read(isNew: Bool) throws -> String {
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
    let interruptions = Self.endOnSignals(restoring: saved)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
      Output.write("\n", to: STDERR_FILENO)
      for interruption in interruptions { interruption.cancel() }
    }
    guard let line = readLine(strippingNewline: true) else {
      throw VerbFailure(.failed, "No password was given.")
    }
    return line
  }
  /// Gives the echo back before a signal ends the program as it would have.
  ///
  /// The read of a line cannot be left by a signal: the library starts it again, and the signal may
  /// meet another thread.
  private static func endOnSignals(restoring saved: termios) -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setCancelHandler { signal(number, SIG_DFL) }
      source.setEventHandler {
        var settings = saved
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        Output.write("\n", to: STDERR_FILENO)
        signal(number, SIG_DFL)
        var this = sigset_t()
        sigemptyset(&this)
        sigaddset(&this, number)
        pthread_sigmask(SIG_UNBLOCK, &this, nil)
        raise(number)
      }
      source.resume()
      return source
    }
  }
}
