import RallyWire

/// The parts of a query string that select rows: filters, order, page and columns.
///
/// It is applied to rows as their reader sees them, so filters and order reveal nothing more.
package struct RowQuery: Hashable, Sendable {
  /// The maximum number of parameters, and of conditions including nested ones.
  static let itemLimit = 100

  private(set) var selection = RowSelection.everything
  package private(set) var filter = RowFilter.all([])
  private(set) var order: [RowOrder] = []
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
      case "order": order = try RowOrder.list(item.value, in: relation)
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
    RowOrder.sort(rows.filter { filter.holds(for: $0) == true }, by: order)
  }

  package var narrows: Bool { filter != .all([]) || !order.isEmpty || limit != nil || offset != 0 }
}
