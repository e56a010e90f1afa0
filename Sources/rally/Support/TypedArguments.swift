import FoundationEssentials
import Glibc
import RallyCommand
import RallyText
import TerminalKit
import TerminalNcurses

/// What was typed after the program's name, as text.
///
/// `CommandLine.arguments` puts U+FFFD in place of bytes that are no UTF-8. Everybody would read that
/// as the title of a mission.
enum TypedArguments {
  /// - Throws: `VerbFailure` for an argument that is neither UTF-8 nor in the charset of the locale.
  static func read(
    environment: @autoclosure () -> [String: String] = ProcessInfo.processInfo.environment
  ) throws(VerbFailure) -> [String] {
    var texts: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let start = CommandLine.unsafeArgv[index] else { break }
      if let text = String(validatingCString: start) {
        texts.append(text)
      } else {
        texts.append(try decoded(start, environment()))
      }
    }
    return texts
  }

  private static func decoded(
    _ start: UnsafeMutablePointer<CChar>, _ environment: [String: String]
  ) throws(VerbFailure) -> String {
    if let charset = SingleByteCharset.ofLocale(environment) {
      let bytes = UnsafeBufferPointer(start: start, count: strlen(start))
      return charset.text(bytes.map(UInt8.init(bitPattern:)))
    }
    throw VerbFailure(
      .usage,
      "The argument \u{201C}\(String(cString: start).cleanedForDisplay)\u{201D} is not UTF-8, and"
        + " the locale names no other character set.",
      advice: "Set LANG to what your terminal sends, such as de_DE.ISO-8859-1, or type it in UTF-8."
    )
  }
}
