import Glibc
import TerminalKit

extension Size {
  /// The window size of a terminal (TIOCGWINSZ); nil if the descriptor is not a terminal or its
  /// size is unknown.
  public init?(ofTerminal descriptor: Int32) {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0
    else { return nil }
    self.init(width: Int(window.ws_col), height: Int(window.ws_row))
  }
}
