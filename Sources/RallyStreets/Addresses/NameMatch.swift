/// How well a name matches a search text, best first.
enum NameMatch: Comparable {
  /// The text is the name.
  case whole
  case beginning
  /// The text begins at a word of the name.
  case word
  /// Every word of the text begins some word of the name.
  case words

  /// Nil if the name does not match.
  ///
  /// - Parameters:
  ///   - name: Folded, as `TextFolding.foldedInAnyScript` does.
  ///   - text: Folded in the same way; not empty.
  init?(of name: String, with text: String) {
    if name == text {
      self = .whole
    } else if name.hasPrefix(text) {
      self = .beginning
    } else {
      let words = name.split(separator: " ")
      guard text.split(separator: " ").allSatisfy({ part in words.contains { $0.hasPrefix(part) } })
      else { return nil }
      self = name.contains(" " + text) ? .word : .words
    }
  }
}
