import RallyText

/// The code of an invitation: sixteen characters of Crockford's base 32 (80 random bits), or the ten
/// of a code that was made before 2026-11-28.
///
/// Typed text is normalised as the alphabet specifies (https://www.crockford.com/base32.html): case
/// and dashes do not matter, `O` is zero, `I` and `L` are one. A whole link is parsed as well.
public struct InvitationCode: Hashable, Sendable, Codable, CustomStringConvertible {
  public static let length = 16
  /// The length of older codes, 50 bits. They give nothing to who has no API key.
  static let formerLength = 10
  public static let example = "7QK2-MX9P-TFH3-W8RT"
  public static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  /// The prefix of a link; the code follows.
  public static let linkPrefix = "rally://invite/"

  /// Upper case, without dashes.
  public let value: String

  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public init(_ text: String) throws(FieldProblem) {
    var text = text.trimmed
    if let query = text.firstIndex(of: "?") { text = String(text[..<query]) }
    if text.lowercased().hasPrefix(InvitationCode.linkPrefix) {
      text = String(text.dropFirst(InvitationCode.linkPrefix.count))
    }
    let folded = text.uppercased().compactMap { character -> Character? in
      switch character {
      case "-", " ": nil
      case "O": "0"
      case "I", "L": "1"
      default: character
      }
    }
    guard [InvitationCode.length, InvitationCode.formerLength].contains(folded.count),
      folded.allSatisfy(InvitationCode.alphabet.contains)
    else {
      throw FieldProblem(
        field: .code,
        advice: "A code has \(InvitationCode.length) letters and digits, such as"
          + " \(InvitationCode.example).")
    }
    value = String(folded)
  }

  /// - Parameter numbers: Sixteen numbers; the lowest five bits of each are used.
  public init?(randomNumbers numbers: [UInt8]) {
    guard numbers.count == InvitationCode.length else { return nil }
    value = String(numbers.map { InvitationCode.alphabet[Int($0 & 31)] })
  }

  /// Whether it is long enough to open what needs no account: see `OpenInvitation`.
  public var isLong: Bool { value.utf8.count == InvitationCode.length }

  /// For display: `7QK2-MX9P-TFH3-W8RT`.
  public var description: String {
    let size = isLong ? 4 : 5
    var rest = value[...]
    var groups: [Substring] = []
    while !rest.isEmpty {
      groups.append(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return groups.joined(separator: "-")
  }

  /// `rally://invite/7QK2MX9PTFH3W8RT`
  public var link: String { InvitationCode.linkPrefix + value }

  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
