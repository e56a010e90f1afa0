import Foundation

/// A question before something that cannot be taken back.
struct Confirmation {
  /// `--yes`.
  var isGiven: Bool

  /// Asks on a terminal; without one `--yes` has to be said.
  ///
  /// - Throws: `VerbFailure` unless the answer is yes.
  func ask(_ question: String) throws {
    if isGiven { return }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw VerbFailure(
        .usage, "There is no terminal to confirm this on.", advice: "Say --yes if you mean it.")
    }
    Output.write("\(question) [y/N] ", to: STDERR_FILENO)
    let answer = readLine(strippingNewline: true)?.trimmingCharacters(in: .whitespaces)
    guard ["y", "yes"].contains(answer?.lowercased()) else {
      throw VerbFailure(.failed, "Nothing was changed.")
    }
  }
}
