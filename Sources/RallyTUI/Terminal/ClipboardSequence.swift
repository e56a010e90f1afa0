import Foundation

/// Text on its way to the clipboard of the terminal that somebody sits at, over SSH too: OSC 52.
///
/// The terminal does not answer: whether it took the text, only pasting tells.
enum ClipboardSequence {
  /// What multiplexers pass on; told by their variables.
  enum Wrapping: Hashable {
    case none, tmux, screen

    /// - Parameter environment: Asked for `TMUX` and `STY`; the inner one of the two is not known, so
    ///   tmux wins, which is the one that says what it does.
    init(_ environment: [String: String]) {
      if environment["TMUX"]?.isEmpty == false {
        self = .tmux
      } else if environment["STY"]?.isEmpty == false {
        self = .screen
      } else {
        self = .none
      }
    }
  }

  /// Bytes of screen's passthrough: it drops longer ones.
  private static let screenChunk = 76

  /// - Parameter text: At most `ClipboardProblem.limit` bytes.
  static func bytes(copying text: String, wrapping: Wrapping) -> [UInt8] {
    let base64 = Data(text.utf8).base64EncodedString()
    // BEL ends it, which needs no second escape inside a wrapping.
    let plain = "\u{1b}]52;c;\(base64)\u{07}"
    switch wrapping {
    case .none: return Array(plain.utf8)
    case .tmux:
      // Plain too: with `set-clipboard on` tmux takes it itself, where `allow-passthrough` is off.
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
