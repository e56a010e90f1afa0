import RallyWire

/// One `postgres_changes` entry of a join: what it asks for, and its id for the answer.
struct RealtimeBinding: Hashable, Sendable {
  /// As the client wrote it; echoed verbatim.
  let json: [String: JSONValue]
  /// Never 0: clients take that for unset.
  let id: Int64
  private let event: String
  private let table: String?
  private let filter: ChangeFilter?
  /// Why nothing can ever match; said after the join in a system message.
  let problem: String?

  init(json: [String: JSONValue], id: Int64) {
    self.json = json
    self.id = id
    event = json["event"]?.string ?? "*"
    let table = json["table"]?.string
    self.table = table == "*" ? nil : table
    let columns = table.flatMap { PublishedTable.columns[$0] }
    let filterText = json["filter"]?.string
    filter = filterText.flatMap { text in
      columns.flatMap { try? ChangeFilter(text, columns: $0) }
    }
    let isSchemaKnown = ["public", "*"].contains(json["schema"]?.string ?? "public")
    let isTableKnown = self.table == nil || columns != nil
    let isNull = json["table"] == .null || json["filter"] == .null
    let isFilterKnown = filterText == nil || filter != nil
    problem =
      isSchemaKnown && isTableKnown && isFilterKnown && !isNull
      ? nil
      : "Unable to subscribe to changes with given parameters."
        + " Please check Realtime is enabled for the given connect parameters: \(json)"
  }

  var echo: JSONValue { .object(json.merging(["id": .integer(id)]) { _, id in id }) }

  func matches(_ change: ChangeEvent) -> Bool {
    guard problem == nil, table == nil || table == change.table,
      event == "*" || event.uppercased() == change.type.rawValue
    else { return false }
    guard let filter else { return true }
    return filter.matches(change.record ?? change.oldRecord ?? [:])
  }
}
