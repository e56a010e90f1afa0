import RallyText

/// The code of an invitation: ten characters of Crockford's base 32 (50 random bits).
///
/// Typed text is normalised as the alphabet specifies (https://www.crockford.com/base32.html): case
/// and dashes do not matter, `O` is zero, `I` and `L` are one. A whole link is parsed as well.
public struct InvitationCode: Hashable, Sendable, Codable, CustomStringConvertible {
  public static let length = 10
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
    guard folded.count == InvitationCode.length,
      folded.allSatisfy(InvitationCode.alphabet.contains)
    else {
      throw FieldProblem(
        field: .code,
        advice: "A code has \(InvitationCode.length) letters and digits, such as 7QK2M-X9PTF.")
    }
    value = String(folded)
  }

  /// - Parameter numbers: Ten numbers; the lowest five bits of each are used.
  public init?(randomNumbers numbers: [UInt8]) {
    guard numbers.count == InvitationCode.length else { return nil }
    value = String(numbers.map { InvitationCode.alphabet[Int($0 & 31)] })
  }

  /// For display: `7QK2M-X9PTF`.
  public var description: String { "\(value.prefix(5))-\(value.suffix(5))" }

  /// `rally://invite/7QK2MX9PTF`
  public var link: String { InvitationCode.linkPrefix + value }

  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
