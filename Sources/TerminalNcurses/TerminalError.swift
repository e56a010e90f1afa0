import RallyText

/// Why the interface cannot run on this terminal.
public enum TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Input or output is not a terminal.
  case notATerminal
  /// No terminfo entry for this type is installed, or `TERM` is not set.
  case unknownType(String)
  /// The terminal cannot position the cursor or clear the screen.
  case incapable(String)

  public var description: String {
    switch self {
    case .notATerminal: "Input and output must be a terminal."
    case .unknownType(""): "TERM is not set, so the terminal's kind is not known."
    case .unknownType(let type):
      "The terminal type \u{201C}\(type.cleanedForDisplay)\u{201D} is not known here."
    case .incapable(let type):
      "A terminal of type \u{201C}\(type.cleanedForDisplay)\u{201D} cannot place its cursor, which the"
        + " interface needs."
    }
  }
}
