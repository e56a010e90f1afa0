import ArgumentParser
import Foundation
import RallyTUI
import RallyWire

/// Data goes to standard output, talk to standard error; nothing else prints.
struct Output {
  let options: GlobalOptions

  /// One JSON document on a line.
  func json(_ value: some Encodable) throws {
    Output.write(try WireJSON.text(value) + "\n", to: STDOUT_FILENO)
  }

  func data(_ line: String) {
    Output.write(line + "\n", to: STDOUT_FILENO)
  }

  /// Rows in columns that are as wide as their widest cell; the last one is not padded.
  func table(_ rows: [[String]]) {
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

  func talk(_ sentence: String) {
    if !options.quiet { Output.write(sentence + "\n", to: STDERR_FILENO) }
  }

  /// Says what failed and what to do, and leaves with the status that belongs to it.
  static func finish(with error: any Error, parser: (some ParsableCommand).Type) -> Never {
    if let failure = error as? VerbFailure {
      var text = "rally: \(failure.message)\n"
      if let advice = failure.advice { text += "\(advice)\n" }
      write(text, to: STDERR_FILENO)
      exit(failure.status.rawValue)
    }
    if let failure = VerbFailure(translating: error) {
      finish(with: failure, parser: parser)
    }
    let text = parser.fullMessage(for: error)
    if parser.exitCode(for: error) == .success {
      write(text + "\n", to: STDOUT_FILENO)
      exit(VerbStatus.ok.rawValue)
    }
    write((text.isEmpty ? "rally: \(error)" : text) + "\n", to: STDERR_FILENO)
    exit(
      parser.exitCode(for: error) == .validationFailure
        ? VerbStatus.usage.rawValue : VerbStatus.failed.rawValue)
  }

  /// Writes all of it, or as much as a closed pipe takes.
  static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        bytes = bytes.dropFirst(written)
      } else if errno != EINTR {
        return
      }
    }
  }
}
