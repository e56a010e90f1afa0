/// A key as the bytes that xterm sends for it.
public struct PtyKey: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let enter = PtyKey(rawValue: "\r")
  public static let escape = PtyKey(rawValue: "\u{1B}")
  public static let tab = PtyKey(rawValue: "\t")
  public static let backspace = PtyKey(rawValue: "\u{7F}")
  public static let up = PtyKey(rawValue: "\u{1B}OA")
  public static let down = PtyKey(rawValue: "\u{1B}OB")
  public static let right = PtyKey(rawValue: "\u{1B}OC")
  public static let left = PtyKey(rawValue: "\u{1B}OD")

  /// ^A to ^Z by their letter.
  public static func control(_ letter: Character) -> PtyKey {
    let code = (letter.asciiValue ?? 0) & 0x1F
    return PtyKey(rawValue: String(Unicode.Scalar(code)))
  }
}
