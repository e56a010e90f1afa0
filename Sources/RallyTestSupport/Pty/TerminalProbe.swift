import CPtyHolder
import Foundation

/// A program in a pseudo terminal, for measurements: single-threaded, waits only in `poll`.
///
/// Unlike `PtySession`, the calling thread reads the output, so that the time at which bytes arrive
/// is exact.
public final class TerminalProbe {
  public typealias Instant = ContinuousClock.Instant

  /// Just before the program was started.
  public let startedAt: Instant
  public let processID: pid_t
  public private(set) var screen: ScreenEmulator
  /// Bytes that the program wrote to the terminal.
  public private(set) var bytesWritten = 0
  /// Whether the program closed the terminal or ended.
  public private(set) var isOver = false

  private let terminal: Int32
  private let orders: Int32
  private let reports: Int32
  private let holder: pid_t
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// - Throws: `ProcessFailure` if there is no such program or no pseudo terminal.
  public init(
    _ name: String, _ arguments: [String], environment: [String: String], rows: Int = 24,
    columns: Int = 80
  ) throws {
    ignoreBrokenPipes()
    let file = try program(name, path: environment["PATH"])
    let (reportPipe, orderPipe) = (try PipeEnds(), try PipeEnds())
    var path = [CChar](repeating: 0, count: 128)
    let opened = rally_pty_open_terminal(Int32(rows), Int32(columns), &path, path.count)
    guard opened >= 0 else { throw ProcessFailure("pseudo terminal", errno: -opened) }
    let now = ContinuousClock.now
    let holder = withCStrings([name] + arguments) { argv in
      withCStrings(environment.map { "\($0)=\($1)" }) { envp in
        rally_pty_start_held(path, file, argv, envp, nil, reportPipe.writing, orderPipe.reading)
      }
    }
    close(reportPipe.writing)
    close(orderPipe.reading)
    var report = rally_pty_report()
    let size = MemoryLayout<rally_pty_report>.size
    let count = withUnsafeMutableBytes(of: &report) {
      Foundation.read(reportPipe.reading, $0.baseAddress, size)
    }
    guard holder > 0, count == size, report.kind == Int32(CPH_STARTED) else {
      throw ProcessFailure("\(name) did not start")
    }
    self.holder = holder
    startedAt = now
    processID = report.pid
    screen = ScreenEmulator(rows: rows, columns: columns)
    terminal = opened
    orders = orderPipe.writing
    reports = reportPipe.reading
  }

  deinit {
    kill(-processID, SIGKILL)
    close(orders)
    close(reports)
    // Before `waitpid`: a holder that writes to a full terminal which nobody reads never ends.
    close(terminal)
    var status: Int32 = 0
    while waitpid(holder, &status, 0) < 0, errno == EINTR {}
  }

  /// Types keys and returns when.
  @discardableResult
  public func type(_ keys: String) -> Instant {
    let now = ContinuousClock.now
    writeAll(terminal, keys.utf8)
    return now
  }

  /// Reads until the screen fulfils a condition.
  ///
  /// - Returns: When the bytes that fulfilled it arrived; nil after `limit` or if the program
  ///   ended.
  public func read(
    within limit: Duration, until condition: (ScreenEmulator) -> Bool
  ) -> Instant? {
    condition(screen) ? .now : readOn(within: limit, until: condition)
  }

  /// Like `read(within:until:)`, but does not check the condition first. Use it if the condition is
  /// known to be false: the check would delay reading the response.
  public func readOn(
    within limit: Duration, until condition: (ScreenEmulator) -> Bool
  ) -> Instant? {
    let deadline = ContinuousClock.now + limit
    while !isOver {
      let left = deadline - .now
      guard left > .zero else { return nil }
      guard let arrival = readOnce(within: left) else { continue }
      if condition(screen) { return arrival }
    }
    return nil
  }

  /// Reads all output for a time.
  public func read(for time: Duration) { _ = read(within: time) { _ in false } }

  /// Reads until there was no output for a time.
  public func readUntilQuiet(for time: Duration, within limit: Duration = .seconds(20)) {
    let deadline = ContinuousClock.now + limit
    while !isOver, ContinuousClock.now < deadline, readOnce(within: time) != nil {}
  }

  private func readOnce(within limit: Duration) -> Instant? {
    let (seconds, attoseconds) = limit.components
    guard rally_pty_wait_readable(terminal, seconds, attoseconds / 1_000_000_000) > 0 else {
      return nil
    }
    let bytes = RallyTestSupport.readOnce(terminal, into: &buffer)
    let arrival = ContinuousClock.now
    if bytes.isEmpty {
      isOver = true
      return nil
    }
    bytesWritten += bytes.count
    screen.feed(bytes)
    if !screen.replies.isEmpty {
      writeAll(terminal, screen.replies)
      screen.replies = []
    }
    return arrival
  }
}
