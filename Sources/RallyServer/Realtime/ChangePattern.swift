import RallyRules
import RallyText
import RallyWire

/// The parsed form of a `postgres_changes` binding. Equal bindings share one; see `PatternTable`.
final class ChangePattern: Sendable {
  /// The source text; equal bindings have equal text.
  let request: [String: JSONValue]
  let shape: Shape
  private let event: String
  private let table: String?
  private let filter: ChangeFilter?
  /// Why nothing can match; sent after the join in a system message.
  let problem: String?

  /// What of an event is sent.
  struct Shape: Hashable, Sendable {
    /// The selected columns; nil for all.
    var columns: Set<String>?
    /// Whether it brings what its reader would fetch after it.
    var isEmbedding = false
  }

  private struct Problem: Error {
    var text: String
  }

  init(_ request: [String: JSONValue]) {
    self.request = request
    event = (request["event"]?.string ?? "*").uppercased()
    table = request["table"]?.string.flatMap { $0 == "*" ? nil : $0 }
    let parts: Parts
    do throws(Problem) {
      parts = try ChangePattern.parts(request, event: event, table: table)
    } catch {
      parts = Parts(
        problem: "Unable to subscribe to changes with given parameters."
          + " Please check Realtime is enabled for the given connect parameters: \(error.text)")
    }
    shape = Shape(columns: parts.columns, isEmbedding: request["embed"]?.bool == true)
    (filter, problem) = (parts.filter, parts.problem)
  }

  /// The fields of an entry that are parsed; others are only echoed.
  static func request(of entry: [String: JSONValue]) -> [String: JSONValue] {
    entry.filter { ["event", "schema", "table", "filter", "select", "embed"].contains($0.key) }
  }

  func matches(_ change: ChangeEvent) -> Bool {
    guard problem == nil, table == nil || table == change.table,
      event == "*" || event == change.type.rawValue
    else { return false }
    guard let filter else { return true }
    return filter.matches(change.record ?? change.oldRecord ?? [:])
  }

  // MARK: - Reading

  private struct Parts {
    var columns: Set<String>?
    var filter: ChangeFilter?
    var problem: String?
  }

  private static func parts(
    _ json: [String: JSONValue], event: String, table: String?
  ) throws(Problem) -> Parts {
    try requireShape(json, event: event)
    let relation = try relation(of: table)
    return Parts(
      columns: try columns(json["select"], of: relation),
      filter: try filter(json["filter"], on: relation))
  }

  /// As on the hosted service, null differs from a missing key.
  private static func requireShape(_ json: [String: JSONValue], event: String) throws(Problem) {
    guard ["*", "INSERT", "UPDATE", "DELETE"].contains(event) else {
      throw Problem(text: "unknown event \(event)")
    }
    for name in ["event", "schema", "table", "filter"] {
      guard json[name] == nil || json[name]?.string != nil else {
        throw Problem(text: "No subscription params provided: \(name) is not text")
      }
    }
    let schema = json["schema"]?.string ?? PublishedTables.schema
    guard [PublishedTables.schema, "*"].contains(schema) else {
      throw Problem(text: "unknown schema \(schema)")
    }
  }

  private static func relation(of table: String?) throws(Problem) -> RowRelation? {
    guard let table else { return nil }
    guard let columns = PublishedTables.listened[table] else {
      throw Problem(text: "unknown table \(table)")
    }
    return RowRelation(name: table, columns: columns)
  }

  private static func filter(
    _ json: JSONValue?, on relation: RowRelation?
  ) throws(Problem) -> ChangeFilter? {
    guard let text = json?.string else { return nil }
    guard let relation else { throw Problem(text: "a filter needs a table") }
    do throws(ChangeFilter.Unsupported) {
      return try ChangeFilter(text, on: relation)
    } catch {
      throw Problem(text: error.message)
    }
  }

  private static func columns(
    _ json: JSONValue?, of relation: RowRelation?
  ) throws(Problem) -> Set<String>? {
    guard let json, json != .null else { return nil }
    guard let names = json.array?.compactMap(\.string), names.count == json.array?.count,
      !names.isEmpty
    else { throw Problem(text: "select is not a list of columns") }
    if names == ["*"] { return nil }
    guard let relation else { throw Problem(text: "select needs a table") }
    for name in names where !relation.has(name) {
      throw Problem(text: "column \(relation.name).\(name) does not exist")
    }
    return Set(names)
  }
}

/// The patterns in use, each kept once however many entries ask for it, and for as long.
struct PatternTable {
  private var entries: [[String: JSONValue]: (pattern: ChangePattern, uses: Int)] = [:]

  var count: Int { entries.count }

  /// The pattern of an entry; given back by `release`.
  mutating func take(_ entry: [String: JSONValue]) -> ChangePattern {
    let request = ChangePattern.request(of: entry)
    let known = entries[request]
    let pattern = known?.pattern ?? ChangePattern(request)
    entries[request] = (pattern, (known?.uses ?? 0) + 1)
    return pattern
  }

  mutating func release(_ pattern: ChangePattern) {
    guard let entry = entries[pattern.request] else { return }
    entries[pattern.request] = entry.uses > 1 ? (pattern, entry.uses - 1) : nil
  }
}

/// The filter of a binding: `column=op.value`, several joined by commas, all of which must hold.
///
/// The operators are those of `/rest/v1` and of Realtime's own `isdistinct` (unequal, where null is a
/// value like others). `not.` turns any of them around. Regular expressions (`match`, `imatch`) are
/// refused.
struct ChangeFilter: Hashable, Sendable {
  /// What cannot be asked for, in PostgreSQL's or PostgREST's words.
  struct Unsupported: Error, Hashable {
    var message: String
  }

  private enum Test: Hashable, Sendable {
    case row(RowFilter)
    case isDistinct(from: RowValue?, type: ColumnType, isNegated: Bool)
  }

  private struct Condition: Hashable, Sendable {
    let column: String
    let test: Test
  }

  private static let listLimit = 100
  /// Bytes; a hundred ids fit.
  private static let longest = 8192

  private let conditions: [Condition]

  /// - Throws: `Unsupported` for an unknown column or operator, or a value of another type.
  init(_ text: String, on relation: RowRelation) throws(Unsupported) {
    guard text.utf8.count <= ChangeFilter.longest else {
      throw Unsupported(message: "a filter has at most \(ChangeFilter.longest) bytes")
    }
    var conditions: [Condition] = []
    for part in ChangeFilter.split(text) {
      do {
        conditions.append(try ChangeFilter.condition(part, on: relation))
      } catch let failure as FunctionFailure {
        throw Unsupported(message: failure.message)
      } catch {
        throw Unsupported(message: "\(error)")
      }
    }
    self.conditions = conditions
  }

  /// Whether a row passes. Columns that it does not have (of a deleted row only the key is known)
  /// pass nothing; null passes what SQL lets it pass.
  func matches(_ record: JSONRow) -> Bool {
    conditions.allSatisfy { condition in
      guard let value = record[condition.column] else { return false }
      switch condition.test {
      case .row(let filter): return filter.holds(for: record) == true
      case .isDistinct(let other, let type, let isNegated):
        return (RowValue(value, as: type) != other) != isNegated
      }
    }
  }

  // MARK: - Reading

  private static func condition(_ part: Substring, on relation: RowRelation) throws -> Condition {
    guard let equals = part.firstIndex(of: "=") else {
      throw Unsupported(message: "“\(part)” is not column=operator.value")
    }
    let column = String(part[..<equals])
    let type = try relation.type(of: column)
    let operation = part[part.index(after: equals)...]
    var (rest, isNegated) = (operation, false)
    while rest.hasPrefix("not.") {
      rest = rest.dropFirst(4)
      isNegated.toggle()
    }
    if rest.hasPrefix("isdistinct.") {
      let text = String(rest.dropFirst("isdistinct.".count))
      let value = text == "null" ? nil : try RowValue(text, as: type)
      return Condition(
        column: column, test: .isDistinct(from: value, type: type, isNegated: isNegated))
    }
    var parser = FilterParser(String(operation), in: relation)
    let filter = try parser.filter(of: column)
    guard filter.mostValues <= listLimit else {
      throw Unsupported(message: "in takes at most \(listLimit) values")
    }
    return Condition(column: column, test: .row(filter))
  }

  /// Cuts at commas outside of parentheses and quotes.
  private static func split(_ text: String) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var (depth, isQuoted, isEscaped) = (0, false, false)
    for index in text.indices {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch text[index] {
      case "\\" where isQuoted: isEscaped = true
      case "\"" where depth > 0: isQuoted.toggle()
      case _ where isQuoted: break
      case "(": depth += 1
      case ")": depth = max(0, depth - 1)
      case "," where depth == 0:
        parts.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    parts.append(text[start...])
    return parts
  }
}

extension RowFilter {
  /// The length of the longest list of values.
  fileprivate var mostValues: Int {
    switch self {
    case .condition(let condition): condition.values?.count ?? 0
    case .not(let filter): filter.mostValues
    case .all(let filters), .any(let filters): filters.map(\.mostValues).max() ?? 0
    }
  }
}
