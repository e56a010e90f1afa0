import Foundation

/// The rules for what people write about themselves, and for what they sign in with.
public enum ProfileText {
  public static let displayNameLengths = 1...40
  public static let bioLimit = 160
  /// Counted in characters below, in bytes above (the limit that GoTrue takes from bcrypt).
  public static let passwordLengths = 6...72

  /// A display name of 1–40 grapheme clusters, cleaned and trimmed.
  public static func displayName(_ text: String) throws(FieldProblem) -> String {
    let name = text.cleanedForDisplay.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !name.isEmpty else {
      throw FieldProblem(field: .displayName, advice: "Write a name that friends will see.")
    }
    guard name.count <= displayNameLengths.upperBound else {
      throw FieldProblem(
        field: .displayName,
        advice: "Use at most \(displayNameLengths.upperBound) characters.")
    }
    return name
  }

  /// A bio of at most 160 grapheme clusters, cleaned and trimmed; may be empty.
  public static func bio(_ text: String) throws(FieldProblem) -> String {
    let bio = text.cleanedForDisplay.trimmingCharacters(in: .whitespacesAndNewlines)
    guard bio.count <= bioLimit else {
      throw FieldProblem(field: .bio, advice: "Use at most \(bioLimit) characters.")
    }
    return bio
  }

  /// An e-mail address in lower case. Only its shape is checked: something, `@`, a domain.
  public static func email(_ text: String) throws(FieldProblem) -> String {
    let email = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    let isPlain = email.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, isPlain,
      email.utf8.count <= 254, parts[1].first != ".", parts[1].last != "."
    else {
      throw FieldProblem(field: .email, advice: "Write an address like ana@example.org.")
    }
    return email
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
