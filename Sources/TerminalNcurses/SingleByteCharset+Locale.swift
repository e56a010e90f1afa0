import CNcurses
import RallyText
import TerminalKit

extension SingleByteCharset {
  /// The charset of the person's locale; nil for UTF-8, ASCII, and charsets with letters of several
  /// bytes.
  ///
  /// Terminals send what their locale says. Bytes in another charset are no UTF-8.
  ///
  /// - Parameter environment: Read as `TerminalCapabilities.locale` does.
  public static func ofLocale(_ environment: [String: String]) -> SingleByteCharset? {
    guard let locale = TerminalCapabilities.locale(environment),
      !TerminalCapabilities.isUnicode(environment)
    else { return nil }
    return named(installedCharset(of: locale) ?? charset(writtenIn: locale))
  }

  private static func installedCharset(of locale: String) -> String? {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer -> String in
      guard let start = buffer.baseAddress else { return "" }
      cn_charset(locale, start, buffer.count)
      return String(cString: start)
    }
    return name.isEmpty ? nil : name
  }

  /// `ISO-8859-1` of `de_DE.ISO-8859-1@euro`; empty if the name has none.
  private static func charset(writtenIn locale: String) -> String {
    String(locale.drop { $0 != "." }.dropFirst().prefix { $0 != "@" })
  }

  /// - Parameter charset: As iconv names it.
  static func named(_ charset: String) -> SingleByteCharset? {
    guard !charset.isEmpty, let encoding = SingleByteEncoding(charset) else { return nil }
    let letters = encoding.scalars[0x80...]
    // ASCII, and what is switched by escape sequences, have no letters there.
    guard letters.contains(where: { $0.map { $0.value >= 0xA0 } ?? false }) else { return nil }
    return SingleByteCharset(upper: Array(letters))
  }
}
