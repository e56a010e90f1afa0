import CPtyHolder
import Foundation
import Synchronization

/// A program in a real pseudo terminal, with an emulated screen.
///
/// The program is the foreground job of a small holder process (see `CPtyHolder.h`). So ^C, ^Z,
/// hang-ups and window sizes reach it as from any terminal. Its exact exit status is known, and the
/// terminal settings can be read after it has ended. Releasing the session ends the program.
public final class PtySession: Sendable {
  /// The state so far.
  public struct Snapshot: Sendable {
    public var screen: ScreenEmulator
    /// Bytes that the program wrote to the terminal.
    public var bytesWritten = 0
    public var life = Life.starting
    /// The program's process id.
    public var processID: pid_t = 0
    /// All bytes written, for recordings.
    public var output: [UInt8] = []

    fileprivate var changes = 0
    fileprivate var isClosed = false

    /// Whether all output up to the last change of `life` was read; the holder writes a mark there.
    fileprivate var isComplete: Bool { isClosed || screen.holderMarks >= changes }
  }

  public enum Life: Hashable, Sendable {
    case starting
    case running
    case stopped(Int32)
    case ended(ProcessEnd)
    case failed(String)

    var stopSignal: Int32? { if case .stopped(let signal) = self { signal } else { nil } }
    var exitStatus: ProcessEnd? { if case .ended(let status) = self { status } else { nil } }
  }

  /// How long a condition may take before the test fails; only reached on failure.
  public static let patience = PollingBackoff.limit

  /// The terminal settings before the program started.
  public let initialSettings: TerminalSettings

  private let terminal: Int32
  private let wake: PipeEnds
  private let orders: Int32
  private let holder: pid_t
  private let seen: Watched<Snapshot>
  private let isEnded = Mutex(false)
  private let kept: (any Sendable)?

  /// - Parameters:
  ///   - name: A path, or a name to look up on the environment's `PATH`.
  ///   - environment: The whole environment; nothing is inherited.
  ///   - folder: The working directory; nil for the current one.
  ///   - kept: An object to keep alive as long as the session, such as the program's folder.
  /// - Throws: `ProcessFailure` if there is no such program or no pseudo terminal.
  public init(
    _ name: String, _ arguments: [String] = [], environment: [String: String],
    rows: Int = 24, columns: Int = 80, folder: String? = nil,
    keeping kept: (any Sendable)? = nil
  ) async throws {
    ignoreBrokenPipes()
    self.kept = kept
    let file = try program(name, path: environment["PATH"])
    let reports = try PipeEnds()
    let orderPipe = try PipeEnds()
    wake = try PipeEnds()
    var path = [CChar](repeating: 0, count: 128)
    let opened = rally_pty_open_terminal(Int32(rows), Int32(columns), &path, path.count)
    guard opened >= 0 else { throw ProcessFailure("pseudo terminal", errno: -opened) }
    guard let settings = TerminalSettings(of: opened) else {
      throw ProcessFailure("terminal settings", errno: errno)
    }
    terminal = opened
    initialSettings = settings
    orders = orderPipe.writing
    holder = withCStrings([name] + arguments) { argv in
      withCStrings(environment.map { "\($0)=\($1)" }) { envp in
        rally_pty_start_held(path, file, argv, envp, folder, reports.writing, orderPipe.reading)
      }
    }
    close(reports.writing)
    close(orderPipe.reading)
    guard holder > 0 else { throw ProcessFailure("fork", errno: -holder) }
    seen = Watched(Snapshot(screen: ScreenEmulator(rows: rows, columns: columns)))
    Thread.detachNewThread { [seen, terminal, wake] in
      Self.readOutput(terminal, until: wake.reading, into: seen)
    }
    Thread.detachNewThread { [seen] in Self.readReports(reports.reading, into: seen) }
    let first = await seen.first(within: Self.patience) { $0.life != .starting }?.life
    if case .failed(let reason) = first { throw ProcessFailure("\(name): \(reason)") }
  }

  deinit { end() }

  /// Kills the program and closes the terminal.
  public func end() {
    let isFirst = isEnded.withLock { isEnded in
      defer { isEnded = true }
      return !isEnded
    }
    guard isFirst else { return }
    signalGroup(SIGKILL)
    close(orders)
    var status: Int32 = 0
    while waitpid(holder, &status, 0) < 0, errno == EINTR {}
    hangUp()
  }

  /// Closes the terminal, as closing its window does: the kernel sends SIGHUP.
  public func hangUp() {
    let isFirst = seen.change { snapshot in
      defer { snapshot.isClosed = true }
      return !snapshot.isClosed
    }
    if isFirst { close(wake.writing) }
  }

  // MARK: - Output

  public var snapshot: Snapshot { seen.value }
  public var screen: ScreenEmulator { seen.value.screen }
  public var bytesWritten: Int { seen.value.bytesWritten }
  public var processID: pid_t { seen.value.processID }

  /// The current terminal settings; nil after `hangUp`.
  public var settings: TerminalSettings? {
    seen.value.isClosed ? nil : TerminalSettings(of: terminal)
  }

  /// Waits until the screen fulfils a condition.
  ///
  /// - Throws: `ProcessFailure` with the whole screen after the timeout.
  @discardableResult
  public func waitUntil(
    _ what: String, timeout: Duration = PtySession.patience,
    _ condition: @Sendable (ScreenEmulator) -> Bool
  ) async throws -> ScreenEmulator {
    if let found = await seen.first(within: timeout, where: { condition($0.screen) }) {
      return found.screen
    }
    throw failure("never saw \(what)")
  }

  /// Waits until the screen shows all of these texts.
  ///
  /// - Throws: `ProcessFailure` with the whole screen after the timeout.
  @discardableResult
  public func waitFor(
    _ texts: String..., timeout: Duration = PtySession.patience
  ) async throws -> ScreenEmulator {
    try await waitUntil(texts.joined(separator: " and "), timeout: timeout) { screen in
      texts.allSatisfy(screen.contains)
    }
  }

  /// Waits until a text is gone from the screen.
  ///
  /// - Throws: `ProcessFailure` with the whole screen after the timeout.
  @discardableResult
  public func waitForAbsence(
    of text: String, timeout: Duration = PtySession.patience
  ) async throws -> ScreenEmulator {
    try await waitUntil("the end of \(text)", timeout: timeout) { !$0.contains(text) }
  }

  /// Waits until the program is stopped, by ^Z or a signal, and returns that signal.
  ///
  /// - Throws: `ProcessFailure` after the timeout.
  @discardableResult
  public func waitForStop(timeout: Duration = PtySession.patience) async throws -> Int32 {
    try await wait("a stop", timeout, for: \.stopSignal)
  }

  /// Waits until the program has ended and all its output is on the screen.
  ///
  /// - Throws: `ProcessFailure` after the timeout.
  @discardableResult
  public func waitForExit(timeout: Duration = PtySession.patience) async throws -> ProcessEnd {
    try await wait("an end", timeout, for: \.exitStatus)
  }

  private func wait<Found>(
    _ what: String, _ timeout: Duration, for found: any KeyPath<Life, Found?> & Sendable
  ) async throws -> Found {
    let last = await seen.first(within: timeout) {
      $0.isComplete && $0.life[keyPath: found] != nil
    }
    guard let result = last?.life[keyPath: found] else { throw failure("never saw \(what)") }
    return result
  }

  private func failure(_ what: String) -> ProcessFailure {
    let last = seen.value
    let frame = last.screen.lines.map { "│\($0)" }.joined(separator: "\n")
    return ProcessFailure("\(what); the program is \(last.life) and shows\n\(frame)")
  }

  // MARK: - Input

  /// Types text; control keys are control characters.
  public func send(_ keys: String) { if !seen.value.isClosed { writeAll(terminal, keys.utf8) } }

  /// Types bytes that need not be UTF-8.
  public func send(_ bytes: [UInt8]) { if !seen.value.isClosed { writeAll(terminal, bytes) } }

  public func send(_ keys: PtyKey...) { for key in keys { send(key.rawValue) } }

  /// Changes the window size; the kernel sends SIGWINCH to the program.
  public func resize(rows: Int, columns: Int) {
    seen.change { $0.screen.resize(rows: rows, columns: columns) }
    _ = rally_pty_resize(terminal, Int32(rows), Int32(columns))
  }

  /// Sends a signal to the program only, not to its process group.
  public func signal(_ number: Int32) {
    let last = seen.value
    if last.processID > 0, last.life.exitStatus == nil { kill(last.processID, number) }
  }

  /// Sends a signal to the program's process group, as a shell's `kill %1` does.
  public func signalGroup(_ number: Int32) {
    let last = seen.value
    if last.processID > 0, last.life.exitStatus == nil { kill(-last.processID, number) }
  }

  /// Continues a stopped program in the foreground, as `fg` does.
  public func continueInForeground() { order(UInt8(CPH_FOREGROUND)) }

  private func order(_ order: UInt8) {
    seen.change { if $0.life.stopSignal != nil { $0.life = .running } }
    writeAll(orders, CollectionOfOne(order))
  }

  // MARK: - Threads

  private static func readOutput(
    _ terminal: Int32, until wake: Int32, into seen: Watched<Snapshot>
  ) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var watched = [
        pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&watched, 2, -1) < 0 { continue }
      if watched[1].revents != 0 { break }
      let bytes = readOnce(terminal, into: &buffer)
      if bytes.isEmpty { break }
      let replies = seen.change { snapshot in
        let marks = snapshot.screen.holderMarks
        snapshot.screen.feed(bytes)
        let added = (snapshot.screen.holderMarks - marks) * ScreenEmulator.holderMarkLength
        snapshot.bytesWritten += bytes.count - added
        snapshot.output += bytes
        defer { snapshot.screen.replies = [] }
        return snapshot.screen.replies
      }
      if !replies.isEmpty { writeAll(terminal, replies) }
    }
    seen.change { $0.isClosed = true }
    close(terminal)
    close(wake)
  }

  private static func readReports(_ reports: Int32, into seen: Watched<Snapshot>) {
    defer { close(reports) }
    while true {
      var report = rally_pty_report()
      let count = withUnsafeMutableBytes(of: &report) { read(reports, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count == MemoryLayout<rally_pty_report>.size else { break }
      seen.change { snapshot in
        switch report.kind {
        case Int32(CPH_STARTED):
          snapshot.processID = report.pid
          snapshot.life = .running
        case Int32(CPH_CHANGED):
          snapshot.changes += 1
          if let status = ProcessEnd(waitStatus: report.status) {
            snapshot.life = .ended(status)
          } else {
            snapshot.life = .stopped(rally_pty_stop_signal(report.status))
          }
        default:
          snapshot.life = .failed(String(cString: strerror(report.status)))
        }
      }
    }
    seen.change {
      if $0.life == .starting || $0.life == .running { $0.life = .failed("the holder ended") }
    }
  }
}

/// Terminal settings (`stty -a`), to check that a program restores them.
public struct TerminalSettings: Hashable, Sendable, CustomStringConvertible {
  public var input: UInt32
  public var output: UInt32
  public var control: UInt32
  public var local: UInt32
  public var characters: [UInt8]

  /// Reads the settings from either side of a pseudo terminal; nil if it is closed.
  init?(of terminal: Int32) {
    var settings = termios()
    guard tcgetattr(terminal, &settings) == 0 else { return nil }
    input = UInt32(settings.c_iflag)
    output = UInt32(settings.c_oflag)
    control = UInt32(settings.c_cflag)
    local = UInt32(settings.c_lflag)
    characters = withUnsafeBytes(of: settings.c_cc) { Array($0) }
  }

  public var echoes: Bool { local & UInt32(ECHO) != 0 }

  public var description: String {
    let flags = [input, output, control, local].map { String($0, radix: 16) }
    return flags.joined(separator: ":") + ":" + characters.map { String($0) }.joined(separator: ",")
  }
}
