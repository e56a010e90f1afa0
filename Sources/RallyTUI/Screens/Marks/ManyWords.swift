import RallyDomain

/// What is said when something is done with many at once.
enum ManyWords {
  /// The first names and how many more there are: `Ana Pereira, Kenji and 3 more`.
  static func names(_ names: [String], limit: Int = 3) -> String {
    guard names.count > limit else {
      guard let last = names.last, names.count > 1 else { return names.first ?? "" }
      return "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }
    return "\(names.prefix(limit).joined(separator: ", ")) and \(names.count - limit) more"
  }

  /// `5 accepted, 1 failed: Ana Pereira. The server …`
  ///
  /// - Parameters:
  ///   - done: Past tense: `accepted`.
  ///   - failures: Whom it failed for, and why in a sentence.
  static func result(
    _ count: Int, _ done: String, failures: [(name: String, sentence: String)]
  ) -> String {
    guard let first = failures.first else { return "\(count) \(done)." }
    return "\(count) \(done), \(failures.count) failed: \(first.name). \(first.sentence)"
  }
}
