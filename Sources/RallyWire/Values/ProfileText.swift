import Foundation
import RallyText

/// The rules for what people write about themselves, and for what they sign in with.
public enum ProfileText {
  /// Counted in characters below, in bytes above (the limit that GoTrue takes from bcrypt).
  public static let passwordLengths = 6...72

  /// A display name of 1–40 grapheme clusters (`TextLimits.name`), cleaned and trimmed.
  public static func displayName(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.name.checked(
      text, on: .displayName, ifEmpty: "Write a name that friends will see.")
  }

  /// A bio of at most 160 grapheme clusters (`TextLimits.bio`), cleaned and trimmed; may be empty.
  public static func bio(_ text: String) throws(FieldProblem) -> String {
    try TextLimits.bio.checked(text, on: .bio)
  }

  /// A new e-mail address, as `emailKey` has it.
  ///
  /// Its shape is checked (something, `@`, a domain) and its characters: of ASCII what can be
  /// seen, beyond that letters with their marks and digits.
  public static func email(_ text: String) throws(FieldProblem) -> String {
    let email = emailKey(text)
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
      email.unicodeScalars.allSatisfy(allowsInEmail), email.utf8.count <= 254,
      parts[1].first != ".", parts[1].last != "."
    else {
      throw FieldProblem(field: .email, advice: "Write an address like ana@example.org.")
    }
    return email
  }

  /// An e-mail address as it is stored and looked up: trimmed, in lower case. An account that was
  /// made when more characters were allowed is found by it.
  public static func emailKey(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
  }

  private static func allowsInEmail(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value > 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      return !scalar.drawsNothing
    default: return false
    }
  }

  /// A password as it was typed, at least 6 characters and at most 72 bytes.
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
