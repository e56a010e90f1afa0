import RallyText
import RallyWire

/// The parts of a query string that select rows: filters, order, page and columns.
///
/// It is applied to rows as their reader sees them, so filters and order reveal nothing more.
package struct RowQuery: Hashable, Sendable {
  /// The maximum number of parameters, and of conditions including nested ones.
  static let itemLimit = 100

  private(set) var selection = RowSelection.everything
  package private(set) var filter = RowFilter.all([])
  private(set) var order: [RowSorting] = []
  private(set) var limit: Int?
  private(set) var offset = 0

  package static let none = RowQuery()

  private init() {}

  /// - Throws: A `FunctionFailure` with PostgREST's or PostgreSQL's code.
  package init(_ items: [QueryItem], on relation: RowRelation) throws {
    guard items.count <= RowQuery.itemLimit else {
      throw FunctionFailure(
        code: FunctionFailure.badQuery,
        message: "At most \(RowQuery.itemLimit) parameters are read.")
    }
    var filters: [RowFilter] = []
    for item in items {
      switch item.name {
      case "select": selection = try RowSelection(item.value, in: relation)
      case "order": order = try RowSorting.list(item.value, in: relation)
      case "limit": limit = try RowQuery.count(item)
      case "offset": offset = try RowQuery.count(item)
      case "and", "or", "not.and", "not.or":
        var parser = FilterParser(item.value, in: relation)
        let tree = try parser.tree(isAny: item.name.hasSuffix("or"))
        filters.append(item.name.hasPrefix("not.") ? .not(tree) : tree)
      default:
        let column = RowRelation.unquoted(item.name)
        if column == item.name, !relation.has(column), let dot = item.name.firstIndex(of: ".") {
          throw FunctionFailure(
            code: "PGRST108",
            message: "'\(item.name[..<dot])' is not an embedded resource in this request")
        }
        var parser = FilterParser(item.value, in: relation)
        filters.append(try parser.filter(of: column))
      }
    }
    filter = .all(filters)
    guard filter.count <= RowQuery.itemLimit else {
      throw FunctionFailure(
        code: FunctionFailure.badQuery,
        message: "At most \(RowQuery.itemLimit) conditions are tested.")
    }
  }

  /// Whether an item belongs to the query and is no argument of a function.
  package static func claims(_ item: QueryItem, of relation: RowRelation?) -> Bool {
    let words = ["select", "order", "limit", "offset", "and", "or", "not.and", "not.or"]
    if words.contains(item.name) || relation?.has(item.name) == true { return true }
    let first = item.value.prefix { $0 != "." }
    return first.endIndex < item.value.endIndex
      && (first == "not" || RowCondition.Operator(rawValue: String(first)) != nil)
  }

  private static func count(_ item: QueryItem) throws -> Int {
    guard let count = Int(item.value) else {
      throw FunctionFailure.unparsable("\(item.name) parameter", item.value, "a whole number")
    }
    guard count >= 0 else {
      throw FunctionFailure.badRange(
        item.name == "limit"
          ? "Limit should be greater than or equal to zero."
          : "Offset should be greater than or equal to zero.")
    }
    return count
  }

  /// The matching rows in order, before paging.
  func matching(_ rows: [JSONRow]) -> [JSONRow] {
    RowSorting.sort(rows.filter { filter.holds(for: $0) == true }, by: order)
  }

  package var narrows: Bool { filter != .all([]) || !order.isEmpty || limit != nil || offset != 0 }
}

/// One `name=value` of a query string, decoded.
package struct QueryItem: Hashable, Sendable {
  package var name: String
  package var value: String

  /// The items of a query string without the API key, which is the gateway's.
  ///
  /// - Throws: `PGRST100` for bytes that are no UTF-8 text.
  package static func all(in query: String?) throws -> [QueryItem] {
    try Array((query ?? "").utf8).split(separator: UInt8(ascii: "&")).compactMap { part in
      let halves = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(halves[0]), let value = decoded(halves.count > 1 ? halves[1] : [])
      else {
        throw FunctionFailure(
          code: FunctionFailure.badQuery, message: "The query string is not UTF-8 text.")
      }
      return name == "apikey" ? nil : QueryItem(name: name, value: value)
    }
  }

  /// Form decoding: `+` is a space, `%41` a byte; a `%` before anything else stands for itself.
  private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalValue,
        let low = rest.dropFirst().first?.hexadecimalValue
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// A column to sort by. Nulls sort as the largest values, as in PostgreSQL.
struct RowSorting: Hashable, Sendable {
  /// The maximum number of columns.
  static let limit = 20

  let column: String
  private let type: ColumnType
  let isDescending: Bool
  private let nullsFirst: Bool

  /// Reads `a.desc.nullslast,b`.
  ///
  /// - Throws: `PGRST100` for other words, `42703` for an unknown column.
  static func list(_ text: String, in relation: RowRelation) throws -> [RowSorting] {
    let terms = text.split(separator: ",")
    guard terms.count <= RowSorting.limit else {
      throw FunctionFailure(
        code: FunctionFailure.badQuery,
        message: "At most \(RowSorting.limit) columns are sorted by.")
    }
    return try terms.map { term in
      try RowSorting(term.filter { $0 != " " }, of: text, in: relation)
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
  static func sort(_ rows: [JSONRow], by orders: [RowSorting]) -> [JSONRow] {
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

/// The selected columns of a row, with their output names.
struct RowSelection: Hashable, Sendable {
  private struct Term: Hashable, Sendable {
    let column: String
    let name: String
  }

  /// The maximum number of columns.
  static let limit = 100

  /// nil selects all.
  private let terms: [Term]?

  static let everything = RowSelection()

  private init() { terms = nil }

  /// Reads `a,name:b,*`.
  ///
  /// - Throws: `PGRST200` for other tables, `PGRST100` for casts, `42703` for an unknown column.
  init(_ text: String, in relation: RowRelation) throws {
    let text = String(text.filter { !" \n\t".contains($0) })
    if let bracket = text.firstIndex(of: "(") {
      let name = text[..<bracket].split { ",:!.".contains($0) }.last ?? ""
      throw FunctionFailure(
        code: "PGRST200",
        message: "Could not find a relationship between '\(relation.name)' and '\(name)' in the"
          + " schema cache",
        details: "Rows of other tables are not offered; ask for them in a request of their own.")
    }
    let parts = text.split(separator: ",")
    guard !parts.isEmpty, parts != ["*"] else {
      self = .everything
      return
    }
    guard parts.count <= RowSelection.limit else {
      throw FunctionFailure(
        code: FunctionFailure.badQuery,
        message: "At most \(RowSelection.limit) columns are selected.")
    }
    var terms: [Term] = []
    for part in parts {
      if part == "*" {
        terms += relation.columns.map { Term(column: $0.name, name: $0.name) }
        continue
      }
      let words = part.split(separator: ":", omittingEmptySubsequences: false)
        .map(RowRelation.unquoted)
      guard (1...2).contains(words.count), let column = words.last, !words.contains(""),
        !part.contains("->")
      else { throw FunctionFailure.unparsable("select parameter", text, "a column or name:column") }
      _ = try relation.type(of: column)
      terms.append(Term(column: column, name: words[0]))
    }
    self.terms = terms
  }

  func callAsFunction(_ row: JSONRow) -> JSONRow {
    guard let terms else { return row }
    return terms.reduce(into: [:]) { $0[$1.name] = row[$1.column] ?? .null }
  }
}
