import Glibc
import RallyText

/// A question before something that cannot be undone.
package struct Confirmation {
  /// `--yes`.
  package var isGiven: Bool

  package init(isGiven: Bool) { self.isGiven = isGiven }

  /// Asks on a terminal; without one `--yes` is required.
  ///
  /// - Parameter reason: Why it is asked, as a sentence; printed with and without a terminal.
  /// - Throws: `VerbFailure` unless the answer is yes.
  package func ask(_ question: String, because reason: String? = nil) throws {
    if isGiven { return }
    guard Self.isPossible else {
      let refusal = "There is no terminal to confirm this on."
      throw VerbFailure(
        .usage, [reason, refusal].compactMap(\.self).joined(separator: " "),
        advice: "Use --yes to confirm.")
    }
    if let reason { Output.say(reason) }
    guard Self.isAgreed(question) else { throw VerbFailure(.failed, "Nothing was changed.") }
  }

  /// Whether there is a terminal to ask on.
  package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks on a terminal.
  package static func isAgreed(_ question: String) -> Bool {
    Output.write(Output.printed("\(question) [y/N] ", .ofProcess), to: STDERR_FILENO)
    let answer = readLine(strippingNewline: true)?.trimmed
    return ["y", "yes"].contains(answer?.lowercased())
  }
}
