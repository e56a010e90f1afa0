import Foundation

extension Size {
  /// What the terminal behind a descriptor says of itself; nil where there is none, or it does not know.
  public init?(ofTerminal descriptor: Int32) {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0
    else { return nil }
    self.init(width: Int(window.ws_col), height: Int(window.ws_row))
  }
}
