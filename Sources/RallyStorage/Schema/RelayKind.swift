import RallyWire

/// The kinds of entries in `relays`, by which servers on one database tell each other what the change
/// feed does not.
package enum RelayKind: String, Sendable {
  /// A channel's presence changed; the row in `presence` says what it is.
  case presence
  case broadcast
  /// The keys in the database are others.
  case keys

  /// Appends an entry that has nothing beside its kind.
  func append(of node: String, at time: WireTime, to database: Database) throws {
    try database.execute(
      sql: "INSERT INTO relays (node, kind, at) VALUES (?, ?, ?)",
      arguments: [node, rawValue, time])
  }
}
