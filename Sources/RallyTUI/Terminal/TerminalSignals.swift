import Dispatch
import Foundation

/// Listens to the signals of job control and of the window, on the main queue.
///
/// Dispatch puts its own handler in place of whatever is set. So what ncurses would do is switched
/// off before, and nothing calls `signal` for these while the sources live.
@MainActor final class TerminalSignals {
  private var sources: [any DispatchSourceSignal] = []

  /// Keeps ncurses from installing handlers of its own: it leaves alone what is not the default.
  static func prepare() {
    signal(SIGTSTP, SIG_IGN)
    signal(SIGWINCH, SIG_IGN)
  }

  func on(_ number: Int32, _ run: @escaping @MainActor @Sendable () -> Void) {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated(run) }
    source.resume()
    sources.append(source)
  }

  /// Gives the signals their default actions back.
  func close() {
    for source in sources { source.cancel() }
    sources = []
    for number in [SIGTSTP, SIGWINCH, SIGCONT] { signal(number, SIG_DFL) }
  }
}
