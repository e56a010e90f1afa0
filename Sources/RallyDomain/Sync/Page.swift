/// The rows of one answer of a list.
public struct Page<Row: Sendable>: Sendable, RandomAccessCollection {
  /// Those that can be read.
  public var rows: [Row]
  /// How many the server sent, those that cannot be read among them: the next page begins as many
  /// further on.
  public let received: Int
  /// Whether the server had more rows for this answer than it sent, since an answer is limited in
  /// bytes; nil where it does not say.
  public let isCutShort: Bool?

  public init(rows: [Row], received: Int, isCutShort: Bool?) {
    self.rows = rows
    self.received = received
    self.isCutShort = isCutShort
  }

  public var startIndex: Int { rows.startIndex }
  public var endIndex: Int { rows.endIndex }
  public subscript(index: Int) -> Row { rows[index] }

  /// The page with something else for every row, or nothing.
  func converted<Other>(_ convert: (Row) throws -> Other?) rethrows -> Page<Other> {
    Page<Other>(
      rows: try rows.compactMap(convert), received: received, isCutShort: isCutShort)
  }
}
