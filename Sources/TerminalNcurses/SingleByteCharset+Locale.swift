import CNcurses
import TerminalKit

extension SingleByteCharset {
  /// The charset of the person's locale; nil for UTF-8, ASCII, and charsets with letters of several
  /// bytes.
  ///
  /// Terminals send what their locale says. Bytes in another charset are no UTF-8.
  ///
  /// - Parameter environment: Reads the first non-empty one of `LC_ALL`, `LC_CTYPE` and `LANG`.
  public static func ofLocale(_ environment: [String: String]) -> SingleByteCharset? {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
    guard let locale = names.first(where: { !$0.isEmpty }),
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
    var letters = [UInt32](repeating: 0, count: 128)
    guard !charset.isEmpty, cn_letters(charset, &letters) == 0 else { return nil }
    // ASCII, and what is switched by escape sequences, have no letters there.
    guard letters.contains(where: { $0 >= 0xA0 }) else { return nil }
    return SingleByteCharset(upper: letters.map { $0 == 0 ? nil : Unicode.Scalar($0) })
  }
}
