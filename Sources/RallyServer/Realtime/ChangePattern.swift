import RallyRules
import RallyText
import RallyWire

/// The parsed form of a `postgres_changes` binding. Equal bindings share one; see `PatternTable`.
final class ChangePattern: Sendable {
  /// The source text; equal bindings have equal text.
  let wish: [String: JSONValue]
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

  init(_ wish: [String: JSONValue]) {
    self.wish = wish
    event = (wish["event"]?.string ?? "*").uppercased()
    table = wish["table"]?.string.flatMap { $0 == "*" ? nil : $0 }
    let parts: Parts
    do throws(Problem) {
      parts = try ChangePattern.parts(wish, event: event, table: table)
    } catch {
      parts = Parts(
        problem: "Unable to subscribe to changes with given parameters."
          + " Please check Realtime is enabled for the given connect parameters: \(error.text)")
    }
    shape = Shape(columns: parts.columns, isEmbedding: wish["embed"]?.bool == true)
    (filter, problem) = (parts.filter, parts.problem)
  }

  /// The fields of an entry that are parsed; others are only echoed.
  static func wish(of entry: [String: JSONValue]) -> [String: JSONValue] {
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
  private static func requireShape(
    _ json: [String: JSONValue], event: String
  ) throws(Problem) {
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
