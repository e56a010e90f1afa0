import Dispatch
import Foundation

/// Listens to the signals of job control and of the window, on the main queue, once for a process.
///
/// Dispatch puts its own handler in place of whatever is set, once for each signal, and would not
/// notice that it was replaced. So what ncurses would do is switched off before, nothing calls
/// `signal` for these afterwards, and the sources live as long as the process.
@MainActor final class TerminalSignals {
  static let shared = TerminalSignals()

  /// Whoever has the terminal now.
  weak var terminal: NcursesTerminal?

  private var sources: [any DispatchSourceSignal] = []

  /// Listens from now on. Before ncurses opens, which leaves alone what is not the default.
  func listen() {
    guard sources.isEmpty else { return }
    on(SIGWINCH) { $0?.windowChanged() }
    on(SIGCONT) { $0?.continued() }
    on(SIGTSTP) { terminal in
      // With no terminal to give back, the program stops as any other.
      if let terminal { terminal.suspend() } else { kill(0, SIGSTOP) }
    }
  }

  /// Ignores a signal that dispatch does not listen to.
  static func ignore(_ number: Int32) -> sigaction {
    var former = sigaction()
    var action = sigaction()
    action.__sigaction_handler.sa_handler = SIG_IGN
    sigaction(number, &action, &former)
    return former
  }

  static func restore(_ number: Int32, _ action: sigaction) {
    var action = action
    sigaction(number, &action, nil)
  }

  private func on(_ number: Int32, _ run: @escaping @MainActor @Sendable (NcursesTerminal?) -> Void)
  {
    if number != SIGCONT { signal(number, SIG_IGN) }
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { run(self?.terminal) }
    }
    source.resume()
    sources.append(source)
  }
}
