import CNcurses
import TerminalKit

extension Size {
  /// The window size of a terminal (TIOCGWINSZ); nil if the descriptor is not a terminal or its
  /// size is unknown.
  public init?(ofTerminal descriptor: Int32) {
    var rows: Int32 = 0
    var columns: Int32 = 0
    guard cn_winsize(descriptor, &rows, &columns) == 0, rows > 0, columns > 0 else { return nil }
    self.init(width: Int(columns), height: Int(rows))
  }
}
