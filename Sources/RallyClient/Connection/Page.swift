/// One page of a list.
public struct Page<Row: Sendable>: Sendable, RandomAccessCollection {
  /// The valid rows.
  public var rows: [Row]
  /// How many rows the server sent, including invalid ones: the offset of the next page increases
  /// by this.
  public let received: Int
  /// Whether the response was cut at the server's size limit; nil if unknown.
  public let isCutShort: Bool?

  public init(rows: [Row], received: Int, isCutShort: Bool?) {
    self.rows = rows
    self.received = received
    self.isCutShort = isCutShort
  }

  public var startIndex: Int { rows.startIndex }
  public var endIndex: Int { rows.endIndex }
  public subscript(index: Int) -> Row { rows[index] }

  /// The page with converted rows; rows that convert to nil are left out.
  package func converted<Other>(_ convert: (Row) throws -> Other?) rethrows -> Page<Other> {
    Page<Other>(
      rows: try rows.compactMap(convert), received: received, isCutShort: isCutShort)
  }
}
