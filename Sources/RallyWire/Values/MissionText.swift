/// The rules for the texts of missions.
public enum MissionText {
  /// A title of 1–60 grapheme clusters (`TextLimits.title`) on one line, cleaned and trimmed.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func title(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.title.checked(text, on: .title, ifEmpty: "Give the mission a title.")
  }

  /// A description of at most 500 grapheme clusters (`TextLimits.brief`); may be empty.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func brief(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.brief.checked(text, on: .brief)
  }

  /// The title of an objective: 1–60 grapheme clusters (`TextLimits.title`).
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func objective(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.title.checked(
      text, on: .objectives, ifEmpty: "Say in a few words what there is to do.")
  }

  /// A message of a member: 1–500 grapheme clusters (`TextLimits.line`).
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func line(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.line.checked(text, on: .text, ifEmpty: "Write something first.")
  }
}
