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
    // A signal ends the read without SA_RESTART, so the echo comes back whatever happens.
    var interrupting = sigaction()
    interrupting.__sigaction_handler.sa_handler = { _ in }
    let watched = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    var previous = watched.map { _ in sigaction() }
    for (index, signal) in watched.enumerated() {
      sigaction(signal, &interrupting, &previous[index])
    }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
      Output.write("\n", to: STDERR_FILENO)
      for (index, signal) in watched.enumerated() { sigaction(signal, &previous[index], nil) }
    }
    guard let line = readLine(strippingNewline: true) else {
      throw VerbFailure(.failed, "No password was given.")
    }
    return line
  }
}
