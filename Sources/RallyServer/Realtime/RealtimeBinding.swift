import RallyWire

/// One `postgres_changes` entry of a channel that is live: what it asks for, and its id.
struct RealtimeBinding: Sendable {
  /// Never 0: clients take that for unset.
  let id: Int64
  let pattern: ChangePattern
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
