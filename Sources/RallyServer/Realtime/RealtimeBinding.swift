import RallyRules
import RallyWire

/// An active `postgres_changes` binding of a channel, with its id.
struct RealtimeBinding: Sendable {
  /// Never 0: clients take that for unset.
  let id: Int64
  let pattern: ChangePattern
}

extension ChangeEvent {
  /// The event reduced to the selected columns. The old key stays complete, since it identifies the
  /// row.
  func selecting(_ names: Set<String>?) -> ChangeEvent {
    guard let names else { return self }
    var event = self
    event.columns = columns.filter { names.contains($0.name) }
    event.record = record?.filter { names.contains($0.key) }
    return event
  }
}
