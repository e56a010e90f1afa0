import RallyWire

/// Conditions on rows, joined with SQL's three-valued logic.
package indirect enum RowFilter: Hashable, Sendable {
  case all([RowFilter])
  case any([RowFilter])
  case not(RowFilter)
  case condition(RowCondition)

  /// nil for SQL's unknown: the row passes neither the condition nor its negation.
  package func holds(for row: JSONRow) -> Bool? {
    switch self {
    case .condition(let condition): return condition.holds(for: row)
    case .not(let filter): return filter.holds(for: row).map { !$0 }
    case .all(let filters):
      var result: Bool? = true
      for filter in filters {
        switch filter.holds(for: row) {
        case false?: return false
        case nil: result = nil
        case true?: break
        }
      }
      return result
    case .any(let filters):
      var result: Bool? = false
      for filter in filters {
        switch filter.holds(for: row) {
        case true?: return true
        case nil: result = nil
        case false?: break
        }
      }
      return result
    }
  }

  package var count: Int {
    switch self {
    case .condition: 1
    case .not(let filter): filter.count
    case .all(let filters), .any(let filters): filters.reduce(0) { $0 + $1.count }
    }
  }

  /// Characters of the longest pattern of `like` and `ilike`.
  package var longestPattern: Int {
    switch self {
    case .condition(let condition): condition.patternLength
    case .not(let filter): filter.longestPattern
    case .all(let filters), .any(let filters): filters.map(\.longestPattern).max() ?? 0
    }
  }

  /// The conditions that all matching rows meet.
  private var required: [RowCondition] {
    switch self {
    case .condition(let condition): [condition]
    case .all(let filters): filters.flatMap(\.required)
    case .any(let filters): filters.count == 1 ? filters[0].required : []
    case .not: []
    }
  }

  /// Whether the filter is equivalent to `keys` of these columns and `latest` of this one.
  func isDecided(byKeys columns: Set<String>, latest column: String) -> Bool {
    switch self {
    case .condition(let condition):
      condition.values == nil
        ? condition.column == column && condition.latest != nil
        : columns.contains(condition.column)
    case .all(let filters):
      filters.allSatisfy { $0.isDecided(byKeys: columns, latest: column) }
    case .any, .not: false
    }
  }

  /// The values of a key that can match, in a fixed order; nil if any can.
  func keys(_ column: String) -> [String]? {
    let sets = required.filter { $0.column == column }.compactMap(\.values)
    guard var keys = sets.first else { return nil }
    for set in sets.dropFirst() { keys.formIntersection(set) }
    return keys.compactMap(\.key).sorted()
  }

  /// The latest time of a column that can match; nil if any can.
  func latest(_ column: String) -> WireTime? {
    required.filter { $0.column == column }.compactMap(\.latest).min()
  }
}
