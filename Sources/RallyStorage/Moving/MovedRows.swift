/// The rows of one table on both sides, read side by side in batches by primary key.
struct MovedRows {
  static let batch = 500

  let table: MovedTable
  /// The snapshot that is moved.
  let source: Database
  let target: any MoveSide

  /// What a range of keys has on both sides.
  struct Batch {
    /// The number of rows of the source.
    var count = 0
    /// Rows of the source whose key the target does not have.
    var missing: [[SQLValue]] = []
    /// The keys of the target that the source does not have, or has with other values.
    var wrong: [[SQLValue]] = []
  }

  /// Deletes what is not as in the source, and by it what refers to that.
  func discard(_ done: (Int) throws -> Void) throws {
    try forEach { batch in
      if !batch.wrong.isEmpty {
        try target.write { try table.delete(batch.wrong, from: $0) }
      }
      try done(batch.count)
    }
  }

  /// Inserts what the target does not have, each batch in one transaction.
  func copy(_ done: (Int) throws -> Void) throws {
    try forEach { batch in
      if !batch.missing.isEmpty {
        try target.write { try table.insert(batch.missing, into: $0) }
      }
      try done(batch.count)
    }
  }

  /// - Returns: The rows of the source, and how many are missing, other or too many in the target.
  func compare(_ done: (Int) throws -> Void) throws -> (rows: Int, differences: Int) {
    var (rows, differences) = (0, 0)
    try forEach { batch in
      rows += batch.count
      differences += batch.missing.count + batch.wrong.count
      try done(batch.count)
    }
    return (rows, differences)
  }

  private func forEach(_ body: (Batch) throws -> Void) throws {
    var after: [SQLValue]?
    while true {
      let rows = try table.rows(after: after, limit: MovedRows.batch, in: source)
      let isLast = rows.count < MovedRows.batch
      let last = isLast ? nil : rows.last.map(table.key)
      let found = try target.read { try table.rows(after: after, through: last, in: $0) }
      try body(batch(rows, found))
      if isLast { return }
      after = last
    }
  }

  private func batch(_ rows: [[SQLValue]], _ found: [[SQLValue]]) -> Batch {
    var batch = Batch(count: rows.count)
    let wanted = Dictionary(
      uniqueKeysWithValues: rows.map { (ExactValues(table.key(of: $0)), ExactValues($0)) })
    var keys: Set<ExactValues> = []
    for row in found {
      let key = ExactValues(table.key(of: row))
      keys.insert(key)
      if wanted[key] != ExactValues(row) { batch.wrong.append(key.values) }
    }
    batch.missing = rows.filter { !keys.contains(ExactValues(table.key(of: $0))) }
    return batch
  }
}
