import CPtyHolder
import Foundation
import Synchronization

/// A program without a terminal, with pipes for input, output and errors.
///
/// It runs in a session of its own, so that it cannot open the `/dev/tty` of the person who runs
/// the tests. Releasing it ends the program.
public final class RunningCommand: Sendable {
  public struct Snapshot: Sendable {
    public var output: [UInt8] = []
    public var errors: [UInt8] = []
    public var status: ProcessEnd?
    /// The number of open pipes: output, errors. A child that outlives the program may keep them
    /// open.
    fileprivate var open = 2

    var wholeLines: [ArraySlice<UInt8>] {
      guard let end = output.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
      return output[..<end].split(separator: UInt8(ascii: "\n"))
    }

    public var outputText: String { String(decoding: output, as: UTF8.self) }
    public var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  public let processID: pid_t
  private let input: Mutex<Int32?>
  private let name: String
  private let seen = Watched(Snapshot())

  /// - Throws: `ProcessFailure` if there is no such program.
  public init(
    _ name: String, _ arguments: [String] = [], environment: [String: String],
    folder: String? = nil
  ) throws {
    ignoreBrokenPipes()
    let file = try program(name, path: environment["PATH"])
    let (inward, outward, errors) = (try PipeEnds(), try PipeEnds(), try PipeEnds())
    let started = withCStrings([name] + arguments) { argv in
      withCStrings(environment.map { "\($0)=\($1)" }) { envp in
        rally_pty_start_piped(
          file, argv, envp, folder, inward.reading, outward.writing, errors.writing)
      }
    }
    for end in [inward.reading, outward.writing, errors.writing] { close(end) }
    guard started > 0 else {
      for end in [inward.writing, outward.reading, errors.reading] { close(end) }
      throw ProcessFailure(name, errno: -started)
    }
    self.name = ([name] + arguments).joined(separator: " ")
    processID = started
    input = Mutex(inward.writing)
    Thread.detachNewThread { [seen] in Self.read(outward.reading, into: seen, \.output) }
    Thread.detachNewThread { [seen] in Self.read(errors.reading, into: seen, \.errors) }
    Thread.detachNewThread { [seen] in
      var status: Int32 = 0
      while waitpid(started, &status, 0) < 0, errno == EINTR {}
      let ended = ProcessEnd(waitStatus: status)
      seen.change { $0.status = ended }
    }
  }

  deinit {
    if seen.value.status == nil { kill(processID, SIGKILL) }
    closeInput()
  }

  public var snapshot: Snapshot { seen.value }

  public func write(_ text: String) {
    input.withLock { if let input = $0 { writeAll(input, text.utf8) } }
  }

  /// Closes the program's standard input.
  public func closeInput() {
    input.withLock { input in
      if let open = input { close(open) }
      input = nil
    }
  }

  public func signal(_ number: Int32) {
    if seen.value.status == nil { kill(processID, number) }
  }

  /// Waits for the first line of output and returns it without the line break.
  ///
  /// - Throws: `ProcessFailure` if the program ends or the timeout passes before.
  public func firstLine(timeout: Duration = PtySession.patience) async throws -> String {
    try await line(0, timeout: timeout)
  }

  /// Waits for a whole line of output and returns it without the line break.
  ///
  /// - Parameter number: Counted from 0, without empty lines.
  /// - Throws: `ProcessFailure` if the program ends or the timeout passes before.
  public func line(
    _ number: Int, timeout: Duration = PtySession.patience
  ) async throws -> String {
    let last = await seen.first(within: timeout) {
      $0.wholeLines.count > number || $0.status != nil
    }
    guard let lines = last?.wholeLines, lines.count > number else { throw failure("said nothing") }
    return String(decoding: lines[number], as: UTF8.self)
  }

  /// Waits until the program has ended and its output is read.
  ///
  /// - Throws: `ProcessFailure` after the timeout, or if a child keeps the output open.
  @discardableResult
  public func waitForExit(timeout: Duration = PtySession.patience) async throws -> ProcessEnd {
    guard let status = await seen.first(within: timeout, where: { $0.status != nil })?.status
    else { throw failure("did not end") }
    // All output is in the pipes by now; only a child that inherited them can delay end of file.
    guard await seen.first(within: .seconds(5), where: { $0.open == 0 }) != nil else {
      throw failure("ended, and a child of it still holds its output")
    }
    return status
  }

  private func failure(_ what: String) -> ProcessFailure {
    let last = seen.value
    return ProcessFailure(
      "\(name) \(what)\nstatus: \(last.status?.description ?? "running")"
        + "\nstdout: \(last.outputText)\nstderr: \(last.errorText)")
  }

  private static func read(
    _ end: Int32, into seen: Watched<Snapshot>,
    _ place: any WritableKeyPath<Snapshot, [UInt8]> & Sendable
  ) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let bytes = readOnce(end, into: &buffer)
      if bytes.isEmpty { break }
      seen.change { $0[keyPath: place] += bytes }
    }
    close(end)
    seen.change { $0.open -= 1 }
  }
}

/// The output and exit status of a program that ran with pipes.
public struct CommandRun: Sendable, CustomStringConvertible {
  public let command: [String]
  public let status: ProcessEnd
  public let output: String
  public let errors: String

  /// - Parameters:
  ///   - input: The whole standard input, closed afterwards.
  ///   - timeout: Only reached on failure.
  /// - Throws: `ProcessFailure` if it cannot be started or does not end in time; then it is killed.
  public static func of(
    _ name: String, _ arguments: [String], environment: [String: String], input: String = "",
    folder: String? = nil, timeout: Duration = PtySession.patience
  ) async throws -> CommandRun {
    let running = try RunningCommand(
      name, arguments, environment: environment, folder: folder)
    running.write(input)
    running.closeInput()
    let status = try await running.waitForExit(timeout: timeout)
    let last = running.snapshot
    return CommandRun(
      command: [name] + arguments, status: status, output: last.outputText,
      errors: last.errorText)
  }

  /// Runs the `rally` binary built with the tests.
  ///
  /// - Throws: `ProcessFailure` if it was not built or does not end in time.
  public static func rally(
    _ arguments: String..., environment: [String: String], input: String = "",
    timeout: Duration = PtySession.patience
  ) async throws -> CommandRun {
    try await of(
      RallyBinary.required(), arguments, environment: environment, input: input,
      timeout: timeout)
  }

  public var succeeded: Bool { status == .exited(0) }

  public var description: String {
    "\(command.joined(separator: " ")) \(status)\nstdout: \(output)\nstderr: \(errors)"
  }
}

/// The program under test: the `rally` binary built with the tests.
public enum RallyBinary {
  /// Its path; nil if it was not built.
  public static let path: String? = {
    let starts = [
      Bundle.main.executableURL?.resolvingSymlinksInPath(),
      CommandLine.arguments.first.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() },
    ]
    for start in starts.compactMap(\.self) {
      var folder = start.deletingLastPathComponent()
      for _ in 0..<4 {
        let candidate = folder.appendingPathComponent("rally").path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder),
          !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: candidate)
        {
          return candidate
        }
        folder.deleteLastPathComponent()
      }
    }
    return nil
  }()

  /// The path of the binary.
  ///
  /// - Throws: `ProcessFailure` if it was not built.
  public static func required() throws -> String {
    guard let path else { throw ProcessFailure("rally was not built beside the tests") }
    return path
  }
}
