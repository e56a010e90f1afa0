import GRDB
import RallyWire

/// One database of a move. From its `init` to `close` no server uses it.
protocol MoveSide {
  var engine: Database.Engine { get }

  func read<T>(_ work: (Database) throws -> T) throws -> T
  /// Durable when it returns.
  func write<T>(_ work: (Database) throws -> T) throws -> T
  /// One snapshot for all of the work, while no other program can write.
  func hold<T>(_ work: (Database) throws -> T) throws -> T

  /// Brings the target to this version's schema, also where it is half moved.
  func migrate() throws
  /// Whether a table exists, in any version of the schema.
  func hasTable(_ name: String, in database: Database) throws -> Bool
  /// The bytes of everything on disk.
  func size(in database: Database) throws -> Int
  /// Refreshes the planner's statistics of the moved tables.
  func analyze(_ tables: [MovedTable]) throws
  func close() throws
}

/// SQLite in a data folder, whose lock it holds.
struct MovedFolder: MoveSide {
  let engine = Database.Engine.sqlite
  private let lock: DataFolderLock
  private let queue: DatabaseQueue

  /// A database of exactly this version.
  ///
  /// - Throws: `ExistingDatabase.Failure`, `DataFolderLock.Failure.held` while a server runs.
  init(source path: String) throws {
    try ExistingDatabase.requireCurrent(ExistingDatabase.path(in: path))
    lock = try DataFolderLock(folder: path)
    queue = try ExistingDatabase.queue(ExistingDatabase.path(in: path))
  }

  /// A database that may not exist yet.
  ///
  /// - Throws: As `init(source:)`.
  init(target path: String) throws {
    try ExistingDatabase.requireNotNewer(ExistingDatabase.path(in: path), isMoving: true)
    lock = try DataFolderLock(folder: path)
    let folder = try DataFolder(path: path)
    try folder.makeDatabase()
    queue = try ExistingDatabase.queue(folder.databasePath)
  }

  func read<T>(_ work: (Database) throws -> T) throws -> T {
    try queue.read { try work(database($0)) }
  }

  func write<T>(_ work: (Database) throws -> T) throws -> T {
    try queue.write { try work(database($0)) }
  }

  func hold<T>(_ work: (Database) throws -> T) throws -> T {
    try queue.writeWithoutTransaction { connection in
      try connection.execute(sql: "BEGIN IMMEDIATE")
      defer { try? connection.execute(sql: "ROLLBACK") }
      return try work(database(connection))
    }
  }

  func migrate() throws { try SQLiteEngine.migrator.migrate(queue) }

  func hasTable(_ name: String, in database: Database) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?",
      arguments: [name]) != nil
  }

  func size(in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0
  }

  func analyze(_ tables: [MovedTable]) throws {}

  func close() throws {
    try queue.close()
    lock.release()
  }

  private func database(_ connection: GRDB.Database) -> Database {
    Database(.sqlite, on: SQLiteConnection(database: connection))
  }
}

/// PostgreSQL, through the one connection of Rally that it has meanwhile.
struct MovedPostgres: MoveSide {
  let engine = Database.Engine.postgres
  private let connection: PostgresConnection

  /// - Parameter isSource: Whether the database must be of exactly this version.
  /// - Throws: `StorageFailure`; `DatabaseMove.Failure.inUse` while a server runs.
  init(_ address: PostgresAddress, isSource: Bool) throws {
    connection = PostgresConnection(address, silence: PostgresConnection.longSilence)
    try connection.open()
    try connection.executeScript("SET statement_timeout = 0")
    guard try PostgresClaim.takeAlone(on: connection) else {
      throw DatabaseMove.Failure.inUse(
        "\(address)", connections: try PostgresClaim.others(on: connection))
    }
    if isSource {
      try PostgresMigrations.requireDone(Migrations.migrator.steps, on: connection)
    }
  }

  private var database: Database { Database(.postgres, on: connection) }

  func read<T>(_ work: (Database) throws -> T) throws -> T {
    try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { _ in
      try work(database)
    }
  }

  func write<T>(_ work: (Database) throws -> T) throws -> T {
    try connection.transaction("BEGIN") { _ in try work(database) }
  }

  func hold<T>(_ work: (Database) throws -> T) throws -> T {
    try connection.transaction(
      """
      BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL idle_in_transaction_session_timeout = 0
      """
    ) { _ in try work(database) }
  }

  func migrate() throws {
    try PostgresMigrations.run(Migrations.migrator.steps, on: connection, isMoving: true)
    connection.forgetPrepared()
  }

  func hasTable(_ name: String, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT to_regclass(?) IS NOT NULL", arguments: [name]) ?? false
  }

  func size(in database: Database) throws -> Int {
    try Int.fetchOne(
      database,
      sql: """
        SELECT CAST(COALESCE(sum(pg_total_relation_size(c.oid)), 0) AS BIGINT) FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relkind = 'r'
        """) ?? 0
  }

  func analyze(_ tables: [MovedTable]) throws {
    for table in tables { try connection.executeScript("ANALYZE \(table.name)") }
  }

  func close() throws { connection.close() }
}

/// Where the keys of one side of a move are.
enum MovedKeys {
  case folder(String)
  /// In the database, encrypted under the key in this file.
  case encrypted(by: String)

  /// The keys of the source.
  ///
  /// - Throws: `DatabaseMove.Failure`, `DataFolderFailure`, `KeyVaultFailure`.
  func read(from side: any MoveSide) throws -> ServerKeys {
    try side.read { database in
      switch self {
      case .encrypted(let path): return try KeyVault.keys(in: database, path: path)
      case .folder(let folder):
        guard try side.engine == .sqlite || !KeyVault.hasKeys(in: database) else {
          throw DatabaseMove.Failure.encryptedKeys
        }
        return try DataFolder.requireKeys(in: folder).keys
      }
    }
  }

  /// - Throws: If the keys of the source cannot stand here, before anything is moved.
  func requireRoom(for keys: ServerKeys) throws {
    switch self {
    case .encrypted(let path): _ = try EncryptionKey.read(path)
    case .folder(let folder):
      let there = try DataFolder.storedKeys(in: folder)?.keys
      guard there == nil || there?.apiKey == keys.apiKey else {
        throw DatabaseMove.Failure.otherKeys(folder)
      }
    }
  }

  func write(_ keys: ServerKeys, to side: any MoveSide) throws {
    switch self {
    case .encrypted(let path):
      try side.write { try KeyVault.replace(with: keys, in: $0, path: path) }
    case .folder(let path):
      let folder = try DataFolder(path: path)
      let data = try WireJSON.encode(keys)
      if try DataFolder.storedKeys(in: path)?.file == data { return }
      try DataFolder.writePrivate(data, to: folder.keysPath)
    }
  }
}

extension MoveMarker {
  /// - Parameter source: What stays the same of a server, in any database: its API key, as a digest.
  package static func set(of source: ServerKeys, in database: Database) throws {
    try database.execute(
      sql: "CREATE TABLE \(table) (source TEXT NOT NULL, begun_at BIGINT NOT NULL)")
    try database.execute(
      sql: "INSERT INTO \(table) (source, begun_at) VALUES (?, ?)",
      arguments: [digest(of: source), WireTime.now])
  }

  static func isOf(_ source: ServerKeys, in database: Database) throws -> Bool {
    try String.fetchOne(database, sql: "SELECT source FROM \(table)") == digest(of: source)
  }

  static func remove(from database: Database) throws {
    try database.execute(sql: "DROP TABLE \(table)")
  }

  private static func digest(of keys: ServerKeys) -> String {
    Base64URL.encode(Sodium.sha256(Array(keys.apiKey.utf8)))
  }
}
