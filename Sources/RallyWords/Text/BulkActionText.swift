import RallyDomain
import RallySystem

/// Texts of bulk actions.
package enum BulkActionText {
  /// The first names and the number of the others: `Ana Pereira, Kenji and 3 more`.
  package static func names(_ names: [String], limit: Int = 3) -> String {
    guard names.count > limit else {
      guard let last = names.last, names.count > 1 else { return names.first ?? "" }
      return "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }
    return "\(names.prefix(limit).joined(separator: ", ")) and \(names.count - limit) more"
  }

  /// - Parameters:
  ///   - done: Past tense: `accepted`.
  ///   - failures: The name and the error of each failure.
  package static func result(
    _ count: Int, _ done: String, failures: [(name: String, sentence: String)]
  ) -> String {
    guard let first = failures.first else { return "\(count) \(done)." }
    return "\(count) \(done), \(failures.count) failed: \(first.name). \(first.sentence)"
  }
}
