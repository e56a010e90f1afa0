import CTerminalGuard
import Dispatch
import Glibc
import Synchronization
import TerminalKit

/// Listens to the signals of job control, of the window and of the end, once for a process.
///
/// Dispatch installs its handler for a signal once and does not notice when it is replaced. So
/// ncurses' handlers are prevented beforehand, nothing may call `signal` for these afterwards, and
/// the sources are never cancelled. Dispatch installs it on a thread of its own, some time after
/// `resume`: what comes earlier must not be lost.
@MainActor package final class TerminalSignals {
  static let shared = TerminalSignals()

  /// What ends the process at once, by the signal's own default, once the terminal is given back.
  /// These are the keys of the terminal, limits and timers that were set by whoever started the
  /// program, and what programs send to each other. `endings` leave time to save.
  nonisolated static let fatal: [Int32] =
    [
      SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO, SIGSYS,
      SIGSTKFLT,
    ] + Array(__libc_current_sigrtmin()...__libc_current_sigrtmax())
  private nonisolated static let endings = [SIGTERM, SIGHUP, SIGPWR]

  /// How long an interface may take to save its state after one of `endings`.
  private nonisolated static let grace = DispatchTimeInterval.milliseconds(500)
  /// Serves the signals of the end also while the main thread is busy.
  private nonisolated static let endQueue = DispatchQueue(label: "rally.end")
  /// Whether an interface was shown, which has something to save.
  private nonisolated static let hasServed = Atomic(false)
  private nonisolated static let endingSignal = Atomic<Int32>(0)

  /// The signal that asked the process to end; nil while none did.
  nonisolated static var ending: Int32? {
    let number = endingSignal.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// The terminal that is in use.
  weak var terminal: NcursesTerminal? {
    didSet { if terminal != nil { Self.hasServed.store(true, ordering: .releasing) } }
  }

  /// Whether the program was started to ignore SIGHUP, as `nohup` does.
  private(set) var isHangUpIgnored = false
  private var sources: [any DispatchSourceSignal] = []

  /// Starts listening. Call before ncurses opens: it keeps handlers that are not the default.
  func listen() {
    guard sources.isEmpty else { return }
    on(SIGWINCH, registered: { $0?.windowChanged(isCertain: false) }) { $0?.windowChanged() }
    on(SIGCONT) { $0?.continued() }
    on(SIGTSTP) { terminal in
      // Without a terminal to restore, stop as any program does.
      if let terminal { terminal.suspend() } else { ProcessGroup.stop() }
    }
    isHangUpIgnored = rally_guard_is_ignored(SIGHUP) != 0
    for number in Self.endings where rally_guard_is_ignored(number) == 0 {
      sources.append(Self.endSource(number))
    }
  }

  /// Not of the main actor, as its handler is not.
  private nonisolated static func endSource(_ number: Int32) -> any DispatchSourceSignal {
    rally_guard_end_by(number)
    let source = DispatchSource.makeSignalSource(signal: number, queue: endQueue)
    source.setEventHandler { end(by: number) }
    source.resume()
    return source
  }

  /// Tells the interface to save its state and to end the process by this signal. Ends it after
  /// `grace` in any case, and at once where no interface was shown yet.
  private nonisolated static func end(by number: Int32) {
    guard hasServed.load(ordering: .acquiring) else { return rally_guard_end(number) }
    let (isFirst, _) = endingSignal.compareExchange(
      expected: 0, desired: number, ordering: .acquiringAndReleasing)
    guard isFirst else { return }
    endQueue.asyncAfter(deadline: .now() + grace) { rally_guard_end(number) }
    DispatchQueue.main.async {
      MainActor.assumeIsolated { shared.terminal?.onEvent?(.ending(number)) }
    }
  }

  /// Ignores a signal that dispatch does not handle; returns the previous action.
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

  /// - Parameter registered: Called when signals arrive from then on.
  private func on(
    _ number: Int32, registered: (@MainActor @Sendable (NcursesTerminal?) -> Void)? = nil,
    _ run: @escaping @MainActor @Sendable (NcursesTerminal?) -> Void
  ) {
    if number != SIGCONT { signal(number, SIG_IGN) }
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated { run(self?.terminal) }
    }
    if let registered {
      source.setRegistrationHandler { [weak self] in
        MainActor.assumeIsolated { registered(self?.terminal) }
      }
    }
    source.resume()
    sources.append(source)
  }
}

extension TerminalApplication.End {
  /// Ends the process by the signal that requested its end, also where that came after the person
  /// had quit. When the terminal went away it is SIGHUP, or status 129 if the process was started
  /// to ignore that. Returns where the person alone ended the run.
  @MainActor public func endProcess() {
    if let number = TerminalSignals.ending { rally_guard_end(number) }
    switch self {
    case .quit: return
    case .signal(let number): rally_guard_end(number)
    case .hangup:
      if TerminalSignals.shared.isHangUpIgnored { exit(128 + SIGHUP) }
      rally_guard_end(SIGHUP)
    }
  }
}
