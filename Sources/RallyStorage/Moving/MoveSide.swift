import GRDB

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
  /// Refreshes what the planner knows of the moved tables.
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
