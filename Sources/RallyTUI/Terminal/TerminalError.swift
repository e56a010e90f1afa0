import RallyWire

/// Why there can be no interface on this terminal.
public enum TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Input or output is a file or a pipe.
  case notATerminal
  /// No description of this kind of terminal is installed, or `TERM` is not set.
  case unknownType(String)
  /// The terminal cannot place its cursor.
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
