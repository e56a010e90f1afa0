import Foundation

/// The rules for what people write about missions and in them.
public enum MissionText {
  /// Grapheme clusters.
  public static let titleLengths = 1...60
  public static let briefLimit = 500
  public static let objectiveLengths = 1...60
  /// What one line of a mission's activity may say.
  public static let lineLengths = 1...500

  /// A title of 1–60 grapheme clusters on one line, cleaned and trimmed.
  public static func title(_ text: String) throws(FieldProblem) -> String {
    try cleaned(
      text, field: .title, lengths: titleLengths, ifEmpty: "Give the mission a title.")
  }

  /// What the mission is about, at most 500 grapheme clusters; may be empty.
  public static func brief(_ text: String) throws(FieldProblem) -> String {
    try cleaned(text, field: .brief, lengths: 0...briefLimit, ifEmpty: "")
  }

  /// What there is to do or to find, 1–60 grapheme clusters.
  public static func objective(_ text: String) throws(FieldProblem) -> String {
    try cleaned(
      text, field: .objectives, lengths: objectiveLengths,
      ifEmpty: "Say in a few words what there is to do.")
  }

  /// A line that a member says, 1–500 grapheme clusters.
  public static func line(_ text: String) throws(FieldProblem) -> String {
    try cleaned(text, field: .text, lengths: lineLengths, ifEmpty: "Write something first.")
  }

  private static func cleaned(
    _ text: String, field: FieldProblem.Field, lengths: ClosedRange<Int>, ifEmpty: String
  ) throws(FieldProblem) -> String {
    let text = text.cleanedForDisplay.trimmingCharacters(in: .whitespacesAndNewlines)
    guard text.count >= lengths.lowerBound else {
      throw FieldProblem(field: field, advice: ifEmpty)
    }
    guard text.count <= lengths.upperBound else {
      throw FieldProblem(field: field, advice: "Use at most \(lengths.upperBound) characters.")
    }
    return text
  }
}
