import Dispatch
import Foundation

/// SIGHUP: reload, unless it means that this process's terminal was closed.
final class ReloadSignal {
  private let source: any DispatchSourceSignal

  /// - Parameters:
  ///   - reload: Called if the signal asks for a reload.
  ///   - end: Called if the terminal was closed.
  init(reload: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    let hadTerminal = ReloadSignal.hasTerminal
    signal(SIGHUP, SIG_IGN)
    source = DispatchSource.makeSignalSource(
      signal: SIGHUP, queue: DispatchQueue(label: "rally.reload"))
    source.setEventHandler {
      if hadTerminal && !ReloadSignal.hasTerminal { end() } else { reload() }
    }
    // Until Dispatch has taken the signal over, it is ignored: what would be reloaded was just read.
    source.setRegistrationHandler { if hadTerminal && !ReloadSignal.hasTerminal { end() } }
    source.resume()
  }

  /// Whether the process has a controlling terminal that is still open.
  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return false }
    close(terminal)
    return true
  }

  func cancel() { source.cancel() }
}
