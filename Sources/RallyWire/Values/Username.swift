import RallyText

/// A person's unique handle: 3–24 of `a-z`, `0-9`, `_` and `.`, kept in lower case.
///
/// Typed text is trimmed, a leading `@` is dropped and letters become lower case before the rules
/// are checked, so `@Ana` and `ana` are the same person everywhere.
public struct Username: Hashable, Sendable, Codable, CustomStringConvertible {
  public static let lengths = 3...24

  public let value: String

  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public init(_ text: String) throws(FieldProblem) {
    let folded = Username.folded(text)
    if let wrong = folded.first(where: { !Username.allows($0) }) {
      throw FieldProblem(
        field: .username,
        advice: wrong == " "
          ? "Use letters, digits, _ or . without spaces."
          : "Use a–z, 0–9, _ or . instead of “\(wrong.description.cleanedForDisplay)”.")
    }
    guard Username.lengths.contains(folded.count) else {
      throw FieldProblem(
        field: .username,
        advice: folded.count < Username.lengths.lowerBound
          ? "Use at least \(Username.lengths.lowerBound) characters."
          : "Use at most \(Username.lengths.upperBound) characters.")
    }
    value = folded
  }

  /// The form that is stored and compared: trimmed, without a leading `@`, in lower case.
  public static func folded(_ text: String) -> String {
    var trimmed = text.trimmed[...]
    if trimmed.first == "@" { trimmed = trimmed.dropFirst() }
    return trimmed.lowercased()
  }

  private static func allows(_ character: Character) -> Bool {
    guard let ascii = character.asciiValue else { return false }
    return ascii.isASCIILowercase || ascii.isASCIIDigit || "_.".utf8.contains(ascii)
  }

  public var description: String { value }

  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
