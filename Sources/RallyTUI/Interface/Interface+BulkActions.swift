import RallyDomain
import RallySystem
import RallyWords

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
