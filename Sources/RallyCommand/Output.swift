import ArgumentParser
import FoundationEssentials
import Glibc
import RallyClient
import RallyDomain
import RallySystem
import RallyText
import RallyWire
import Synchronization
import TerminalKit

/// Prints data on standard output and messages on standard error; no other code prints.
///
/// If the locale is not UTF-8, everything but JSON and files is printed in ASCII: `PrintedMarks`.
package struct Output {
  package let options: GlobalOptions
  private let marks: PrintedMarks

  package init(options: GlobalOptions) {
    self.options = options
    marks = PrintedMarks(isPlain: options.isPlain, environment: ProcessInfo.processInfo.environment)
  }

  /// One JSON document on a line.
  package func json(_ value: some Encodable) throws {
    Output.write(try WireJSON.escapedText(value) + "\n", to: STDOUT_FILENO)
  }

  /// - Parameter line: May contain colours; text of other people in it must be cleaned already.
  package func data(_ line: String) { Output.write(marks.text(line) + "\n", to: STDOUT_FILENO) }

  /// Rows in columns that are as wide as their widest cell; the last one is not padded.
  ///
  /// - Parameter headings: What the columns are, printed on a terminal only, so that scripts read
  ///   rows alone.
  package func table(_ rows: [[String]], headings: [String] = []) {
    let isHeaded = !headings.isEmpty && !rows.isEmpty && isatty(STDOUT_FILENO) == 1
    let rows = isHeaded ? [headings.map { $0.uppercased() }] + rows : rows
    guard let columns = rows.map(\.count).max() else { return }
    let widths = (0..<columns).map { column in
      rows.map { $0.indices.contains(column) ? $0[column].cellWidth : 0 }.max() ?? 0
    }
    for row in rows {
      let cells = row.enumerated().map { column, text in
        column == row.count - 1 ? text : text.padded(toCells: widths[column])
      }
      data(cells.joined(separator: "  "))
    }
  }

  package func message(_ sentence: String) {
    if !options.quiet {
      Output.write(Output.printed(sentence, marks) + "\n", to: STDERR_FILENO)
    }
  }

  /// Writes sentences to standard error, cleaned: they may quote arguments.
  package static func say(_ text: String, to descriptor: Int32 = STDERR_FILENO) {
    write(printed(text, .ofProcess) + "\n", to: descriptor)
  }

  /// Sentences cleaned for display, line by line.
  static func printed(_ text: String, _ marks: PrintedMarks) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { marks.text($0.cleanedForDisplay) }.joined(separator: "\n")
  }

  /// Prints what failed and what to do, and exits with the matching code.
  package static func finish(with error: any Error, parser: (some ParsableCommand).Type) -> Never {
    if let failure = error as? VerbFailure {
      say("rally: \(failure.message)\(failure.advice.map { "\n\($0)" } ?? "")")
      exit(failure.status.rawValue)
    }
    if let failure = VerbFailure(translating: error) {
      finish(with: failure, parser: parser)
    }
    if parser.exitCode(for: error) == .success {
      say(parser.fullMessage(for: error), to: STDOUT_FILENO)
      exit(VerbStatus.ok.rawValue)
    }
    say(UsageMessage(error, arguments: Array(CommandLine.arguments.dropFirst()), of: parser).text)
    exit(
      parser.exitCode(for: error) == .validationFailure
        ? VerbStatus.usage.rawValue : VerbStatus.failed.rawValue)
  }

  /// Writes the file that `-o` names, in place of one that is there; to a pipe or a device, too.
  ///
  /// - Throws: `VerbFailure` if that cannot be written.
  package static func write(_ text: String, toFile path: String) throws(VerbFailure) {
    do throws(FileError) {
      try ChosenFiles.write(Data(text.utf8), to: path)
    } catch {
      throw VerbFailure(
        .failed, "The file \(path.cleanedForDisplay) cannot be written (\(error.reason)).",
        advice: "Give another one with -o.")
    }
  }

  /// Writes all bytes; stops at a closed pipe. Where standard output cannot be written, as on a full
  /// disk, the program ends: no script may take a part for the whole.
  package static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 {
        bytes = bytes.dropFirst(written)
        continue
      }
      let error = POSIXError.last
      switch error.code {
      case .EINTR: break
      case .EAGAIN:
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      case _ where descriptor == STDOUT_FILENO && error.code != .EPIPE:
        say("rally: Standard output cannot be written (\(error.systemReason)).")
        exit(VerbStatus.failed.rawValue)
      default: return
      }
    }
  }
}

extension PrintedMarks {
  /// The marks for output before the options are parsed, and if they cannot be parsed.
  static var ofProcess: PrintedMarks {
    let environment = ProcessInfo.processInfo.environment
    return PrintedMarks(
      isPlain: environment["RALLY_A11Y"] == "1" || CommandLine.arguments.contains("--plain"),
      environment: environment)
  }
}

/// A row that a verb prints with `--json`. Scripts build on its names: nothing is renamed or left out,
/// and what is unknown is null.
package protocol JSONRow: Encodable {
  /// What is printed, by its name.
  var members: [String: (any Encodable)?] { get }
}

extension JSONRow {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for (name, value) in members {
      if let value {
        try container.encode(value, forKey: Name(name))
      } else {
        try container.encodeNil(forKey: Name(name))
      }
    }
  }
}

private struct Name: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// How far a long work is: a bar that is drawn over itself on a terminal, a line each tenth
/// elsewhere. Any thread may report.
package final class ProgressReport: Sendable {
  private let output: Output
  private let title: String
  private let words: @Sendable (_ done: UInt64, _ total: UInt64) -> String
  private let isBar: Bool
  /// The last percentage that was shown.
  private let shown = Mutex(-1)

  private static let cells = 24

  /// - Parameter words: What is said behind the percentage.
  package init(
    _ title: String, _ output: Output,
    words: @escaping @Sendable (_ done: UInt64, _ total: UInt64) -> String
  ) {
    self.title = title
    self.output = output
    self.words = words
    isBar = isatty(STDERR_FILENO) == 1 && !output.options.isPlain
  }

  /// - Parameter done: At most `total`.
  package func report(_ done: UInt64, of total: UInt64) {
    guard !output.options.quiet, total > 0 else { return }
    let percent = Int(Double(done) / Double(total) * 100)
    let step = isBar ? 1 : 10
    shown.withLock { last in
      guard last < 0 || percent / step > last / step else { return }
      last = percent
      let text = "\(percent) %, \(words(done, total))"
      guard isBar else { return output.message("\(title): \(text)") }
      let filled = percent * Self.cells / 100
      let bar =
        String(repeating: "=", count: filled) + String(repeating: " ", count: Self.cells - filled)
      Output.write("\r\(title) [\(bar)] \(text)\u{1B}[K", to: STDERR_FILENO)
    }
  }

  /// Ends the line of the bar, so that what is said next has one of its own.
  package func end() {
    guard isBar, shown.withLock({ $0 >= 0 }) else { return }
    Output.write("\n", to: STDERR_FILENO)
  }
}
