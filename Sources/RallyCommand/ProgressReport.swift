import Glibc
import Synchronization

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
