/// The rules for what people write about missions and in them.
public enum MissionText {
  /// A title of 1–60 grapheme clusters (`TextLimits.title`) on one line, cleaned and trimmed.
  public static func title(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.title.checked(text, on: .title, ifEmpty: "Give the mission a title.")
  }

  /// What the mission is about, at most 500 grapheme clusters (`TextLimits.brief`); may be empty.
  public static func brief(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.brief.checked(text, on: .brief)
  }

  /// What there is to do or to find, 1–60 grapheme clusters (`TextLimits.title`).
  public static func objective(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.title.checked(
      text, on: .objectives, ifEmpty: "Say in a few words what there is to do.")
  }

  /// A line that a member says, 1–500 grapheme clusters (`TextLimits.line`).
  public static func line(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.line.checked(text, on: .text, ifEmpty: "Write something first.")
  }
}
