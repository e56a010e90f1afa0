import CTerminalGuard
import Glibc
import TerminalKit

extension TerminalApplication.End {
  /// Ends the process by the signal that asked for its end, also where that came after the person
  /// had quit; by SIGHUP when the terminal went away, unless the process was started to ignore that
  /// (then with status 129). Returns where the person alone ended the run.
  @MainActor public func endProcess() {
    if let number = TerminalSignals.ending { ctg_end(number) }
    switch self {
    case .quit: return
    case .signal(let number): ctg_end(number)
    case .hangup:
      if TerminalSignals.shared.isHangUpIgnored { exit(128 + SIGHUP) }
      ctg_end(SIGHUP)
    }
  }
}
