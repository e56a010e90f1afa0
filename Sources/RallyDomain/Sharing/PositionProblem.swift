import RallySystem

/// Why a position that the server has received is not what friends see.
public enum PositionProblem: ReportableError, Hashable, Sendable {
  /// The server has a newer one, or another device of mine moves.
  case outdated

  public var sentence: String {
    "The server has a newer position of yours, and friends see that one. If you gave this one just"
      + " now, the clock of this device is behind: `rally doctor` says by how much."
  }
}
