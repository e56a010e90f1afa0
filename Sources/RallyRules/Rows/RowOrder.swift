import RallyWire

/// A column to sort by. Nulls sort as the largest values, as in PostgreSQL.
struct RowOrder: Hashable, Sendable {
  /// The maximum number of columns.
  static let limit = 20

  let column: String
  private let type: ColumnType
  let isDescending: Bool
  private let nullsFirst: Bool

  /// Reads `a.desc.nullslast,b`.
  ///
  /// - Throws: `PGRST100` for other words, `42703` for an unknown column.
  static func list(_ text: String, in relation: RowRelation) throws -> [RowOrder] {
    let terms = text.split(separator: ",")
    guard terms.count <= RowOrder.limit else {
      throw FunctionFailure(
        code: FunctionFailure.badQuery, message: "At most \(RowOrder.limit) columns are sorted by.")
    }
    return try terms.map { term in
      try RowOrder(term.filter { $0 != " " }, of: text, in: relation)
    }
  }

  private init(_ term: String, of text: String, in relation: RowRelation) throws {
    var words = term.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    column = RowRelation.unquoted(words.removeFirst())
    var isDescending: Bool?
    var nullsFirst: Bool?
    for word in words {
      switch word {
      case "asc" where isDescending == nil && nullsFirst == nil: isDescending = false
      case "desc" where isDescending == nil && nullsFirst == nil: isDescending = true
      case "nullsfirst" where nullsFirst == nil: nullsFirst = true
      case "nullslast" where nullsFirst == nil: nullsFirst = false
      default:
        throw FunctionFailure.unparsable("order", text, "asc, desc, nullsfirst or nullslast")
      }
    }
    type = try relation.type(of: column)
    if type == .json {
      throw FunctionFailure(
        code: "42883", message: "could not identify an ordering operator for type jsonb")
    }
    self.isDescending = isDescending ?? false
    self.nullsFirst = nullsFirst ?? self.isDescending
  }

  /// Sorts rows; the sort is stable.
  static func sort(_ rows: [JSONRow], by orders: [RowOrder]) -> [JSONRow] {
    guard !orders.isEmpty else { return rows }
    let keyed = rows.enumerated().map { index, row in
      (index: index, values: orders.map { RowValue(row[$0.column], as: $0.type) }, row: row)
    }
    return keyed.sorted { a, b in
      for (order, pair) in zip(orders, zip(a.values, b.values)) {
        if let isBefore = order.isBefore(pair.0, pair.1) { return isBefore }
      }
      return a.index < b.index
    }.map(\.row)
  }

  /// nil when the two are equal.
  private func isBefore(_ a: RowValue?, _ b: RowValue?) -> Bool? {
    switch (a, b) {
    case (nil, nil): nil
    case (nil, _): nullsFirst
    case (_, nil): !nullsFirst
    case (let a?, let b?): a == b ? nil : (a < b) != isDescending
    }
  }
}
