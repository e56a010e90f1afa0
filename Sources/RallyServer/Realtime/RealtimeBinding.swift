import RallyWire

/// One `postgres_changes` entry of a join: what it asks for, and its id for the answer.
struct RealtimeBinding: Hashable, Sendable {
  /// As the client wrote it; echoed verbatim.
  let json: [String: JSONValue]
  /// Never 0: clients take that for unset.
  let id: Int64
  /// The columns that it wants; nil for all.
  let columns: Set<String>?
  private let event: String
  private let table: String?
  private let filter: ChangeFilter?
  /// Why nothing can ever match; said after the join in a system message.
  let problem: String?

  private struct Problem: Error {
    var text: String
  }

  init(json: [String: JSONValue], id: Int64) {
    self.json = json
    self.id = id
    event = (json["event"]?.string ?? "*").uppercased()
    table = json["table"]?.string.flatMap { $0 == "*" ? nil : $0 }
    let wish: Wish
    do throws(Problem) {
      wish = try RealtimeBinding.wish(json, event: event, table: table)
    } catch {
      wish = Wish(
        problem: "Unable to subscribe to changes with given parameters."
          + " Please check Realtime is enabled for the given connect parameters: \(error.text)")
    }
    (columns, filter, problem) = (wish.columns, wish.filter, wish.problem)
  }

  var echo: JSONValue { .object(json.merging(["id": .integer(id)]) { _, id in id }) }

  func matches(_ change: ChangeEvent) -> Bool {
    guard problem == nil, table == nil || table == change.table,
      event == "*" || event == change.type.rawValue
    else { return false }
    guard let filter else { return true }
    return filter.matches(change.record ?? change.oldRecord ?? [:])
  }

  // MARK: - Reading

  private struct Wish {
    var columns: Set<String>?
    var filter: ChangeFilter?
    var problem: String?
  }

  private static func wish(
    _ json: [String: JSONValue], event: String, table: String?
  ) throws(Problem) -> Wish {
    try requireShape(json, event: event)
    let relation = try relation(of: table)
    return Wish(
      columns: try columns(json["select"], of: relation),
      filter: try filter(json["filter"], on: relation))
  }

  /// A null is not the same as a missing key to the hosted service, nor is it here.
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
    let schema = json["schema"]?.string ?? PublishedTable.schema
    guard [PublishedTable.schema, "*"].contains(schema) else {
      throw Problem(text: "unknown schema \(schema)")
    }
  }

  private static func relation(of table: String?) throws(Problem) -> RowRelation? {
    guard let table else { return nil }
    guard let columns = PublishedTable.columns[table] else {
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

extension ChangeEvent {
  /// The event for a binding that wants only some columns. What the key was stays: without it
  /// nobody could tell which row is meant.
  func selecting(_ names: Set<String>?) -> ChangeEvent {
    guard let names else { return self }
    var event = self
    event.columns = columns.filter { names.contains($0.name) }
    event.record = record?.filter { names.contains($0.key) }
    return event
  }
}
