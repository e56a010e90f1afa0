/// A line and column in a text file.
public struct SourcePosition: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Counted from 1.
  public let line: Int
  /// Counted from 1, in Unicode scalars.
  public let column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (one: Self, other: Self) -> Bool {
    (one.line, one.column) < (other.line, other.column)
  }

  public var description: String { "\(line):\(column)" }
}
