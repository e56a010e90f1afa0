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

/// Reads filters: `eq.1`, `not.in.(a,"b,c")`, `(a.eq.1,not.and(b.lt.2,c.is.null))`.
package struct FilterParser {
  /// The kinds of operands.
  enum Operand: Hashable {
    case text(String)
    case list([String])
  }

  /// The maximum nesting of `and` and `or`.
  static let depthLimit = 10
  /// The maximum number of values of `in`.
  static let listLimit = 500

  private let whole: String
  private let relation: RowRelation
  private var rest: Substring.UnicodeScalarView

  package init(_ text: String, in relation: RowRelation) {
    whole = text
    self.relation = relation
    rest = text[...].unicodeScalars
  }

  /// The value of a query item of a column: everything after the operator is its operand.
  package mutating func filter(of column: String) throws -> RowFilter {
    var isNegated = false
    while take("not.") { isNegated.toggle() }
    let name = try operatorName()
    let operand: Operand
    if name == .in {
      operand = .list(try list())
      guard rest.isEmpty else { throw failure("the end") }
    } else {
      operand = .text(String(rest))
    }
    let filter = RowFilter.condition(try RowCondition(column, name, operand, in: relation))
    return isNegated ? .not(filter) : filter
  }

  /// The value of a query item `and` or `or`.
  mutating func tree(isAny: Bool) throws -> RowFilter {
    let filter = try members(isAny: isAny, depth: 1)
    guard rest.isEmpty else { throw failure("the end") }
    return filter
  }

  private mutating func members(isAny: Bool, depth: Int) throws -> RowFilter {
    guard depth <= FilterParser.depthLimit else { throw failure("less depth") }
    guard take("(") else { throw failure("“(”") }
    var filters: [RowFilter] = []
    repeat {
      filters.append(try member(depth: depth))
    } while take(",")
    guard take(")") else { throw failure("“,” or “)”") }
    return isAny ? .any(filters) : .all(filters)
  }

  private mutating func member(depth: Int) throws -> RowFilter {
    skipSpaces()
    if takeWord("not.and") { return .not(try nested(isAny: false, depth)) }
    if takeWord("not.or") { return .not(try nested(isAny: true, depth)) }
    if takeWord("and") { return try nested(isAny: false, depth) }
    if takeWord("or") { return try nested(isAny: true, depth) }
    let column = try column()
    guard take(".") else { throw failure("“.”") }
    var isNegated = false
    while take("not.") { isNegated.toggle() }
    let name = try operatorName()
    let operand: Operand =
      name == .in ? .list(try list()) : .text(try value(endingAt: [",", ")"]))
    skipSpaces()
    let filter = RowFilter.condition(try RowCondition(column, name, operand, in: relation))
    return isNegated ? .not(filter) : filter
  }

  private mutating func nested(isAny: Bool, _ depth: Int) throws -> RowFilter {
    let filter = try members(isAny: isAny, depth: depth + 1)
    skipSpaces()
    return filter
  }

  // MARK: - Words

  private mutating func column() throws -> String {
    if rest.first == "\"" { return try quoted() }
    let name = rest.prefix { $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    guard !name.isEmpty else { throw failure("a column") }
    rest = rest[name.endIndex...]
    return String(name)
  }

  private mutating func operatorName() throws -> RowCondition.Operator {
    let word = rest.prefix { ("a"..."z").contains($0) }
    guard let name = RowCondition.Operator(rawValue: String(word)),
      rest[word.endIndex...].first == "."
    else {
      let known = RowCondition.Operator.allCases.map(\.rawValue).joined(separator: ", ")
      throw failure("“not” or an operator (\(known))")
    }
    rest = rest[word.endIndex...].dropFirst()
    return name
  }

  private mutating func list() throws -> [String] {
    guard take("(") else { throw failure("“(”") }
    if take(")") { return [] }
    var values: [String] = []
    repeat {
      values.append(try value(endingAt: [",", ")"]))
      guard values.count <= FilterParser.listLimit else {
        throw failure("at most \(FilterParser.listLimit) values")
      }
    } while take(",")
    guard take(")") else { throw failure("“,” or “)”") }
    return values
  }

  private mutating func value(endingAt ends: Set<Unicode.Scalar>) throws -> String {
    if rest.first == "\"" { return try quoted() }
    let value = rest.prefix { !ends.contains($0) }
    rest = rest[value.endIndex...]
    return String(value)
  }

  /// Between double quotes, with `\"` and `\\`.
  private mutating func quoted() throws -> String {
    var text = String.UnicodeScalarView()
    _ = rest.popFirst()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return String(text)
      case "\\":
        guard let next = rest.popFirst() else { throw failure("the end of a quoted value") }
        text.append(next)
      default: text.append(scalar)
      }
    }
    throw failure("the end of a quoted value")
  }

  private mutating func take(_ word: String) -> Bool {
    guard rest.starts(with: word.unicodeScalars) else { return false }
    rest = rest.dropFirst(word.unicodeScalars.count)
    return true
  }

  /// Takes a word that a bracket follows.
  private mutating func takeWord(_ word: String) -> Bool {
    guard rest.dropFirst(word.unicodeScalars.count).first == "(" else { return false }
    return take(word)
  }

  private mutating func skipSpaces() { rest = rest.drop { $0 == " " } }

  private func failure(_ expected: String) -> FunctionFailure {
    .unparsable(
      "filter", whole, expected,
      column: whole.unicodeScalars.distance(from: whole.startIndex, to: rest.startIndex) + 1)
  }
}
