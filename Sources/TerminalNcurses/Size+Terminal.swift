import CNcurses
import TerminalKit

extension Size {
  /// The largest window that is drawn on. What is beyond it stays empty: a guest's client names any
  /// size, and each cell takes memory of the host.
  public static let largestTerminal = Size(width: 1000, height: 500)

  /// The part of a terminal's window (TIOCGWINSZ) that is drawn on; nil if the descriptor is not a
  /// terminal or its size is unknown.
  public init?(ofTerminal descriptor: Int32) {
    guard let window = Self(ofWindow: descriptor) else { return nil }
    self.init(
      width: min(window.width, Self.largestTerminal.width),
      height: min(window.height, Self.largestTerminal.height))
  }

  /// The whole window, whatever its size.
  init?(ofWindow descriptor: Int32) {
    var rows: Int32 = 0
    var columns: Int32 = 0
    guard cn_winsize(descriptor, &rows, &columns) == 0, rows > 0, columns > 0 else { return nil }
    self.init(width: Int(columns), height: Int(rows))
  }
}
