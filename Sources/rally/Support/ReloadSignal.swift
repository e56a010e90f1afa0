import Dispatch
import Foundation

/// SIGHUP: read everything again, unless it means that the terminal of this program is gone.
final class ReloadSignal {
  private let source: any DispatchSourceSignal

  /// - Parameters:
  ///   - reload: Somebody asks for it.
  ///   - end: The terminal hung up.
  init(reload: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
    let hadTerminal = ReloadSignal.hasTerminal
    signal(SIGHUP, SIG_IGN)
    source = DispatchSource.makeSignalSource(
      signal: SIGHUP, queue: DispatchQueue(label: "rally.reload"))
    source.setEventHandler {
      if hadTerminal && !ReloadSignal.hasTerminal { end() } else { reload() }
    }
    source.resume()
  }

  /// Whether the process has a controlling terminal that still is there.
  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return false }
    close(terminal)
    return true
  }

  func cancel() { source.cancel() }
}
