import CNcurses

extension Size {
  /// What the terminal behind a descriptor says of itself; nil where there is none, or it does not know.
  public init?(ofTerminal descriptor: Int32) {
    var rows: Int32 = 0
    var columns: Int32 = 0
    guard cn_winsize(descriptor, &rows, &columns) == 0, rows > 0, columns > 0 else { return nil }
    self.init(width: Int(columns), height: Int(rows))
  }
}
