extension Size {
  /// The largest number of columns or rows that can be asked for.
  public static let largestTyped = 1000

  /// What a person means by `100x30`: columns, then rows, each from 1 to `largestTyped`; nil for
  /// anything else.
  public init?(typed text: String) {
    let parts = text.split(omittingEmptySubsequences: false) { "xX×".contains($0) }.map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1],
      (1...Self.largestTyped).contains(width), (1...Self.largestTyped).contains(height)
    else { return nil }
    self.init(width: width, height: height)
  }
}
