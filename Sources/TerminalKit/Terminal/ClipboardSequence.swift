import FoundationEssentials

/// Copies text to the terminal's clipboard with OSC 52, which works over SSH too.
///
/// The terminal does not confirm it; only pasting shows whether it worked.
package enum ClipboardSequence {
  /// Passthrough of terminal multiplexers, detected by their environment variables.
  package enum Wrapping: Hashable {
    case none, tmux, screen

    /// - Parameter environment: Reads `TMUX` and `STY`. If both are set, it is unknown which one is
    ///   the inner one; tmux is assumed.
    package init(_ environment: [String: String]) {
      if environment["TMUX"]?.isEmpty == false {
        self = .tmux
      } else if environment["STY"]?.isEmpty == false {
        self = .screen
      } else {
        self = .none
      }
    }
  }

  /// Maximum payload in bytes of screen's passthrough; longer strings are dropped.
  private static let screenChunk = 76

  /// - Parameter text: At most `ClipboardError.limit` bytes.
  package static func bytes(copying text: String, wrapping: Wrapping) -> [UInt8] {
    let base64 = Data(text.utf8).base64EncodedString()
    // Terminated with BEL, which needs no escaping inside a passthrough.
    let plain = "\u{1b}]52;c;\(base64)\u{07}"
    switch wrapping {
    case .none: return Array(plain.utf8)
    case .tmux:
      // Also sent without passthrough: with `set-clipboard on` tmux handles it itself, even if
      // `allow-passthrough` is off.
      return Array("\u{1b}Ptmux;\u{1b}\(plain)\u{1b}\\\(plain)".utf8)
    case .screen:
      let bytes = Array(plain.utf8)
      return stride(from: 0, to: bytes.count, by: screenChunk).flatMap { start in
        Array("\u{1b}P".utf8) + bytes[start..<min(start + screenChunk, bytes.count)]
          + Array("\u{1b}\\".utf8)
      }
    }
  }
}

/// Why text cannot be copied to the clipboard.
public enum ClipboardError: Error, Hashable, Sendable {
  case tooLong(bytes: Int)
  /// A kernel console or a hardware terminal.
  case noClipboard

  /// Maximum length of the text in bytes: terminals accept sequences of 100,000 bytes, which hold
  /// this much before base64 encoding.
  public static let limit = 74_994

  public var sentence: String {
    switch self {
    case .tooLong(let bytes):
      "It is too long to be copied: \(bytes) bytes, and terminals take \(Self.limit)."
    case .noClipboard: "This terminal has no clipboard."
    }
  }

  /// Checks the length against what terminals accept.
  ///
  /// - Throws: `ClipboardError.tooLong`.
  public static func check(_ text: String) throws(ClipboardError) {
    let count = text.utf8.count
    guard count <= limit else { throw .tooLong(bytes: count) }
  }
}
