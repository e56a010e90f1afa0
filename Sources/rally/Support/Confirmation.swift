import Foundation

/// A question before something that cannot be undone.
struct Confirmation {
  /// `--yes`.
  var isGiven: Bool

  /// Asks on a terminal; without one `--yes` is required.
  ///
  /// - Parameter reason: Why it is asked, as a sentence; printed with and without a terminal.
  /// - Throws: `VerbFailure` unless the answer is yes.
  func ask(_ question: String, because reason: String? = nil) throws {
    if isGiven { return }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      let refusal = "There is no terminal to confirm this on."
      throw VerbFailure(
        .usage, [reason, refusal].compactMap(\.self).joined(separator: " "),
        advice: "Say --yes if you mean it.")
    }
    if let reason { Output.say(reason) }
    Output.write(Output.printed("\(question) [y/N] ", .ofProcess), to: STDERR_FILENO)
    let answer = readLine(strippingNewline: true)?.trimmingCharacters(in: .whitespaces)
    guard ["y", "yes"].contains(answer?.lowercased()) else {
      throw VerbFailure(.failed, "Nothing was changed.")
    }
  }
}
