extension Character {
  /// The most combining marks (general category M) in one grapheme cluster of a text that is shown.
  /// The longest clusters of real scripts, stacked Tibetan syllables, have eight.
  package static let marksLimit = 8

  /// The cluster without the marks beyond `marksLimit`.
  package var withFewMarks: String {
    guard unicodeScalars.count > Self.marksLimit else { return String(self) }
    var rest = Self.marksLimit
    var kept = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.isMark {
        rest -= 1
        if rest < 0 { continue }
      }
      kept.append(scalar)
    }
    return String(kept)
  }
}
