import Foundation
import GRDB
import RallyTestSupport

@testable import RallyStorage

/// A data folder with rows in every table, and an empty PostgreSQL database to move it to.
struct MovingWorld {
  let folder: TemporaryFolder
  var address: PostgresAddress

  var source: DatabaseMove.Place { .folder(folder.file("server")) }
  /// With the keys in a folder of its own.
  var postgres: DatabaseMove.Place {
    .postgres(address, encryptionKey: nil, folder: folder.file("node"))
  }
  /// With the keys in the database.
  var vault: DatabaseMove.Place {
    .postgres(address, encryptionKey: folder.file("key"), folder: folder.file("node"))
  }
  var back: DatabaseMove.Place { .folder(folder.file("back")) }

  /// - Parameter people: Zero leaves the database empty.
  init(people: Int = 12) async throws {
    folder = try TemporaryFolder()
    address = try PostgresFixture.shared.get().database()
    let data = try DataFolder(path: folder.file("server"))
    _ = try data.keys()
    let storage = try Storage(path: data.databasePath)
    if people > 0 { try await storage.write { try SchemaRows.fill($0, people: people) } }
    try storage.close()
  }

  /// Moves, and ends the move when `progress` throws.
  @discardableResult
  func move(
    _ from: DatabaseMove.Place, to target: DatabaseMove.Place,
    _ progress: @escaping (DatabaseMove.Progress) throws -> Void = { _ in }
  ) throws -> [DatabaseMove.Table] {
    let move = try DatabaseMove(from: from, to: target)
    defer { try? move.close() }
    return try move.run(progress)
  }

  /// Works on the data folder as nothing else of Rally does.
  func change(_ sql: String) throws {
    let queue = try ExistingDatabase.queue(folder.file("server/rally.db"))
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// Every row of every table of a folder, as SQLite itself writes its values.
  func rows(of name: String) throws -> [String: [String]] {
    let queue = try ExistingDatabase.queue(folder.file("\(name)/rally.db"))
    defer { try? queue.close() }
    return try queue.read { database in
      var rows: [String: [String]] = [:]
      for table in try MovedTable.all() {
        // In hexadecimal, since texts are compared by canonical equivalence.
        let values = table.columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
        rows[table.name] = try String.fetchAll(
          database,
          sql:
            "SELECT hex(\(values)) FROM \(table.name) ORDER BY \(table.key.joined(separator: ", "))"
        )
      }
      return rows
    }
  }

  func keys(of name: String) throws -> ServerKeys {
    try DataFolder.requireKeys(in: folder.file(name)).keys
  }
}
