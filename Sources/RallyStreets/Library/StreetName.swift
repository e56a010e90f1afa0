import RallyText

/// The name of one archive in the folder of streets: 1 to 32 of a-z, 0-9 and -, no - in front.
public struct StreetName: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let description: String

  /// - Returns: Nil for any other text.
  public init?(_ text: String) {
    let isValid = text.utf8.allSatisfy {
      $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
    }
    guard isValid, (1...32).contains(text.utf8.count), !text.hasPrefix("-") else { return nil }
    description = text
  }

  /// The nearest name to a text: `São Paulo` becomes `sao-paulo`.
  ///
  /// - Returns: Nil if no letter or digit is left.
  public init?(from text: String) {
    let words = text.folded.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    var name = String(words.joined(separator: "-").prefix(32))
    while name.hasSuffix("-") { name.removeLast() }
    self.init(name)
  }

  public static func < (left: StreetName, right: StreetName) -> Bool {
    left.description < right.description
  }
}
