import FoundationEssentials
import RallyText

/// An OpenSSH public key: one line of a `.pub` file (sshd(8), RFC 4253 section 6.6).
///
/// Known are ed25519, ECDSA on the NIST curves, RSA of 2048 to 16384 bits, and both types of
/// security keys. Certificates and lines with options are not taken.
public struct SSHPublicKey: Hashable, Sendable {
  /// As the line begins: `ssh-ed25519`.
  public let type: String
  /// The key in SSH's binary form.
  public let blob: [UInt8]
  /// What stands behind the key, trimmed; often `name@machine`.
  public let comment: String

  /// Type and key without the comment, as `authorized_keys` has them.
  public var line: String { "\(type) \(Data(blob).base64EncodedString())" }

  /// What the key is called unless its owner says otherwise: the comment, or the type.
  public var usualName: String { comment.isEmpty ? type : TextLimits.name.cut(comment) }

  /// Bytes of a line that are looked at; the largest RSA key takes less than 4 KiB.
  public static let longestLine = 8 << 10

  /// - Throws: `FieldProblem` with a sentence that says what to give instead.
  public init(line: String) throws(FieldProblem) {
    guard line.utf8.count <= SSHPublicKey.longestLine else {
      throw SSHPublicKey.problem("That is too long for a public key.")
    }
    guard !line.contains("PRIVATE KEY") else {
      throw SSHPublicKey.problem(
        "That is a private key, which nobody else may see: give the file that ends in .pub.")
    }
    let lines = line.split(whereSeparator: \.isNewline)
    guard lines.count == 1, let text = lines.first else {
      throw SSHPublicKey.problem("Give one public key, on one line.")
    }
    let words = text.split(maxSplits: 2, whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count >= 2, let kind = Kind(rawValue: String(words[0])) else {
      let hasOptions = text.split(separator: " ").dropFirst().contains {
        Kind(rawValue: String($0)) != nil
      }
      throw SSHPublicKey.problem(
        hasOptions
          ? "Give the key without options in front of it."
          : "Give a public key of the type ed25519, ecdsa, rsa or of a security key (sk-…).")
    }
    guard let data = Data(base64Encoded: String(words[1])), data.count > 4 else {
      throw SSHPublicKey.problem("The key is damaged: it is no base64.")
    }
    let bytes = [UInt8](data)
    if let advice = kind.advice(on: bytes) { throw SSHPublicKey.problem(advice) }
    type = kind.rawValue
    blob = bytes
    comment = words.count > 2 ? String(words[2]).cleanedForDisplay.trimmed : ""
  }

  private static func problem(_ advice: String) -> FieldProblem {
    FieldProblem(field: .text, advice: advice)
  }
}

extension SSHPublicKey {
  private enum Kind: String {
    case ed25519 = "ssh-ed25519"
    case nistp256 = "ecdsa-sha2-nistp256"
    case nistp384 = "ecdsa-sha2-nistp384"
    case nistp521 = "ecdsa-sha2-nistp521"
    case rsa = "ssh-rsa"
    case securityEd25519 = "sk-ssh-ed25519@openssh.com"
    case securityNistp256 = "sk-ecdsa-sha2-nistp256@openssh.com"

    /// Why the binary form is no key of this type; nil if it is one.
    func advice(on blob: [UInt8]) -> String? {
      var reader = Reader(rest: blob[...])
      let damaged = "The key is damaged: it does not hold what its type says."
      guard reader.string()?.elementsEqual(rawValue.utf8) == true else { return damaged }
      var isWhole: Bool
      switch self {
      case .ed25519: isWhole = reader.string()?.count == 32
      case .securityEd25519:
        isWhole = reader.string()?.count == 32
        isWhole = isWhole && reader.string()?.isEmpty == false
      case .nistp256: isWhole = reader.point(on: "nistp256", bytes: 32)
      case .nistp384: isWhole = reader.point(on: "nistp384", bytes: 48)
      case .nistp521: isWhole = reader.point(on: "nistp521", bytes: 66)
      case .securityNistp256:
        isWhole = reader.point(on: "nistp256", bytes: 32)
        isWhole = isWhole && reader.string()?.isEmpty == false
      case .rsa:
        guard let exponent = reader.string(), let modulus = reader.string(), !exponent.isEmpty
        else { return damaged }
        let digits = modulus.drop { $0 == 0 }
        let bits = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
        guard bits >= 2048 else {
          return "RSA keys need 2048 bits at least; `ssh-keygen -t ed25519` makes a better one."
        }
        isWhole = bits <= 16_384
      }
      return isWhole && reader.rest.isEmpty ? nil : damaged
    }
  }

  /// Reads the strings of RFC 4251: four bytes of length, most significant first, and the content.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func string() -> ArraySlice<UInt8>? {
      guard rest.count >= 4 else { return nil }
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard rest.count - 4 >= length else { return nil }
      let content = rest.dropFirst(4).prefix(length)
      rest = rest.dropFirst(4 + length)
      return content
    }

    /// An uncompressed point (SEC 1): the byte 4 and two coordinates.
    mutating func point(on curve: String, bytes: Int) -> Bool {
      guard string()?.elementsEqual(curve.utf8) == true, let point = string() else { return false }
      return point.count == 2 * bytes + 1 && point.first == 4
    }
  }
}
