import RallyDomain
import RallySystem

/// Texts of bulk actions.
enum BulkActionText {
  /// The first names and the number of the others: `Ana Pereira, Kenji and 3 more`.
  static func names(_ names: [String], limit: Int = 3) -> String {
    guard names.count > limit else {
      guard let last = names.last, names.count > 1 else { return names.first ?? "" }
      return "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }
    return "\(names.prefix(limit).joined(separator: ", ")) and \(names.count - limit) more"
  }

  /// - Parameters:
  ///   - done: Past tense: `accepted`.
  ///   - failures: The name and the error of each failure.
  static func result(
    _ count: Int, _ done: String, failures: [(name: String, sentence: String)]
  ) -> String {
    guard let first = failures.first else { return "\(count) \(done)." }
    return "\(count) \(done), \(failures.count) failed: \(first.name). \(first.sentence)"
  }
}

extension Interface {
  /// Says how a bulk action ended for each.
  ///
  /// - Parameters:
  ///   - done: Past tense: `accepted`.
  ///   - note: Follows the sentence.
  func report<Subject>(
    _ outcome: BulkOutcome<Subject>, _ done: String, name: (Subject) -> String, note: String = ""
  ) {
    let failures = outcome.failures.map { (name: name($0.subject), sentence: $0.sentence) }
    say(
      BulkActionText.result(outcome.done.count, done, failures: failures) + note,
      kind: failures.isEmpty ? .success : outcome.done.isEmpty ? .failure : .warning)
  }

  /// Whether a bulk action was done for all; otherwise it is reported.
  func isWholly<Subject>(
    _ outcome: BulkOutcome<Subject>, _ done: String, name: (Subject) -> String
  ) -> Bool {
    if !outcome.failures.isEmpty { report(outcome, done, name: name) }
    return outcome.failures.isEmpty
  }
}
