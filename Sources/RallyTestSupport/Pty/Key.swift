/// A key as the bytes that xterm sends for it.
public struct Key: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let enter = Key(rawValue: "\r")
  public static let escape = Key(rawValue: "\u{1B}")
  public static let tab = Key(rawValue: "\t")
  public static let backspace = Key(rawValue: "\u{7F}")
  public static let up = Key(rawValue: "\u{1B}OA")
  public static let down = Key(rawValue: "\u{1B}OB")
  public static let right = Key(rawValue: "\u{1B}OC")
  public static let left = Key(rawValue: "\u{1B}OD")

  /// ^A to ^Z by their letter.
  public static func control(_ letter: Character) -> Key {
    let code = (letter.asciiValue ?? 0) & 0x1F
    return Key(rawValue: String(Unicode.Scalar(code)))
  }
}
