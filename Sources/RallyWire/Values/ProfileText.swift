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

/// The rules for the texts of a profile, for e-mail addresses and for passwords.
public enum ProfileText {
  /// The minimum in characters, the maximum in bytes (GoTrue's limit, from bcrypt).
  public static let passwordLengths = 6...72

  /// A display name of 1–40 grapheme clusters (`TextLimits.name`), cleaned and trimmed.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func displayName(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.name.checked(
      text, on: .displayName, ifEmpty: "Write a name that friends will see.")
  }

  /// A bio of at most 160 grapheme clusters (`TextLimits.bio`), cleaned and trimmed; may be empty.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func bio(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.bio.checked(text, on: .bio)
  }

  /// A new e-mail address in the form of `emailKey`.
  ///
  /// Checks the shape (a local part, `@`, a domain) and the characters: visible ASCII, and beyond
  /// ASCII letters, their combining marks and digits.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func email(_ text: String) throws(FieldProblem) -> String {
    let email = emailKey(text)
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
      email.unicodeScalars.allSatisfy(allowsInEmail), TextLimits.email.cut(email) == email,
      parts[1].first != ".", parts[1].last != "."
    else { throw FieldProblem(field: .email, advice: "Write an address like ana@example.org.") }
    return email
  }

  /// An e-mail address as it is stored and looked up: trimmed, in lower case. Does not check it, so
  /// that accounts from before a stricter check are still found.
  public static func emailKey(_ text: String) -> String { text.trimmed.lowercased() }

  private static func allowsInEmail(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value > 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      return !scalar.drawsNothing
    default: return false
    }
  }

  /// A password, unchanged: at least 6 characters and at most 72 bytes.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public static func password(_ text: String) throws(FieldProblem) -> String {
    guard text.count >= passwordLengths.lowerBound else {
      throw FieldProblem(
        field: .password, advice: "Use at least \(passwordLengths.lowerBound) characters.")
    }
    guard text.utf8.count <= passwordLengths.upperBound else {
      throw FieldProblem(
        field: .password, advice: "Use at most \(passwordLengths.upperBound) bytes.")
    }
    return text
  }

  /// The address that stands for a person on the embedded server, where no e-mail is asked.
  public static func derivedEmail(for username: Username) -> String {
    "\(username.value)@rally.local"
  }
}
