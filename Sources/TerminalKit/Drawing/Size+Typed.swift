extension Size {
  /// Maximum number of columns or rows that can be entered.
  public static let largestTyped = 1000

  /// Parses `100x30` as columns × rows, each 1...`largestTyped`; nil for anything else.
  public init?(typed text: String) {
    let parts = text.split(omittingEmptySubsequences: false) { "xX×".contains($0) }.map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1],
      (1...Self.largestTyped).contains(width), (1...Self.largestTyped).contains(height)
    else { return nil }
    self.init(width: width, height: height)
  }
}
