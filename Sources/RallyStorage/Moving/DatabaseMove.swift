import RallyWire

/// Moves a server from SQLite to PostgreSQL, or back: every row, compared afterwards, and the keys.
///
/// No server uses either database from `init` to `close`. A move that was ended at any moment is
/// begun again in the same way. What the target has by then is compared with the source, which may
/// have been served meanwhile. Only what differs is copied again.
public final class DatabaseMove {
  /// One side of a move, with where its keys are.
  public enum Place: CustomStringConvertible, Sendable {
    case folder(String)
    /// - Parameters:
    ///   - encryptionKey: The file of the key that encrypts the keys in the database; nil for keys in
    ///     the folder.
    ///   - folder: The data folder of the servers on this machine.
    case postgres(PostgresAddress, encryptionKey: String?, folder: String)

    public var description: String {
      switch self {
      case .folder(let path): "sqlite:\(path)"
      case .postgres(let address, _, _): "\(address)"
      }
    }

    fileprivate var keys: MovedKeys {
      switch self {
      case .folder(let path), .postgres(_, nil, let path): .folder(path)
      case .postgres(_, let key?, _): .encrypted(by: key)
      }
    }

    fileprivate var folder: String {
      switch self {
      case .folder(let path), .postgres(_, _, let path): path
      }
    }

    fileprivate func side(isSource: Bool) throws -> any MoveSide {
      switch self {
      case .folder(let path):
        try isSource ? MovedFolder(source: path) : MovedFolder(target: path)
      case .postgres(let address, _, _): try MovedPostgres(address, isSource: isSource)
      }
    }
  }

  /// What will be moved.
  public struct Overview: Hashable, Sendable {
    public var accounts: Int
    public var rows: Int
    /// What the source takes on disk.
    public var bytes: Int
    /// Whether an earlier run was ended before it was done.
    public var isResumed: Bool
  }

  public enum Stage: String, Hashable, Sendable {
    case checking, copying, comparing
  }

  /// How far a move is, after a batch.
  public struct Progress: Hashable, Sendable {
    public var stage: Stage
    public var table: String
    /// Rows of this stage, and of all tables.
    public var done: Int
    public var total: Int
  }

  /// What was compared of a table.
  public struct Table: Hashable, Sendable, Encodable {
    public var table: String
    public var rows: Int
    /// Rows that are missing, other or too many in the target.
    public var differences: Int
  }

  private let from: Place
  private let to: Place
  private let tables: [MovedTable]
  private let source: any MoveSide
  private let target: any MoveSide
  private let keys: ServerKeys
  private let isResumed: Bool

  /// Takes both databases for itself, and changes nothing in them.
  ///
  /// - Throws: `Failure`, `DataFolderLock.Failure.held`, `ExistingDatabase.Failure`,
  ///   `KeyVaultFailure`, `DataFolderFailure`, `StorageFailure`.
  public init(from: Place, to: Place) throws {
    self.from = from
    self.to = to
    tables = try MovedTable.all()
    let source = try from.side(isSource: true)
    self.source = source
    let keys = try from.keys.read(from: source)
    self.keys = keys
    try to.keys.requireRoom(for: keys)
    let target = try to.side(isSource: false)
    self.target = target
    isResumed = try target.read { [tables] database in
      if try target.hasTable(MoveMarker.table, in: database) {
        guard try MoveMarker.isOf(keys, in: database) else { throw Failure.otherMove("\(to)") }
        return true
      }
      for table in tables where try target.hasTable(table.name, in: database) {
        guard try table.isEmpty(in: database) else { throw Failure.occupied("\(to)") }
      }
      return false
    }
  }

  /// Gives both databases back.
  public func close() throws {
    try source.close()
    try target.close()
  }

  /// - Throws: `StorageFailure`.
  public func overview() throws -> Overview {
    try source.read { [self] database in
      Overview(
        accounts: try Int.fetchOne(database, sql: "SELECT count(*) FROM users") ?? 0,
        rows: try rows(in: database), bytes: try source.size(in: database), isResumed: isResumed)
    }
  }

  private func rows(in database: Database) throws -> Int {
    try tables.reduce(0) { try $0 + $1.count(in: database) }
  }

  /// Moves everything. The target can be served afterwards if no table has a difference; otherwise it
  /// stays marked as half moved.
  ///
  /// - Parameter progress: Called after each batch, which is durable by then. What it throws ends the
  ///   move there.
  /// - Throws: `AuditLog.Failure`, `StorageFailure`, or an error of the files.
  public func run(_ progress: @escaping (Progress) throws -> Void) throws -> [Table] {
    try AuditLog(folder: to.folder).append(.move, file: "\(from)")
    try target.migrate()
    if !isResumed { try target.write { try MoveMarker.set(of: keys, in: $0) } }
    let compared = try source.hold { try copy($0, progress) }
    guard compared.allSatisfy({ $0.differences == 0 }) else { return compared }
    try to.keys.write(keys, to: target)
    try target.analyze(tables)
    try target.write { try MoveMarker.remove(from: $0) }
    return compared
  }

  private func copy(
    _ database: Database, _ progress: @escaping (Progress) throws -> Void
  ) throws -> [Table] {
    let total = try rows(in: database)
    func sweep<T>(
      _ stage: Stage, _ work: (MovedRows, (Int) throws -> Void) throws -> T
    ) throws -> [T] {
      var done = 0
      return try tables.map { table in
        try DatabaseMove.naming(table) {
          try work(MovedRows(table: table, source: database, target: target)) { count in
            done += count
            try progress(Progress(stage: stage, table: table.name, done: done, total: total))
          }
        }
      }
    }
    if isResumed { _ = try sweep(.checking) { try $0.discard($1) } }
    _ = try sweep(.copying) { try $0.copy($1) }
    return try sweep(.comparing) { rows, done in
      let (count, differences) = try rows.compare(done)
      return Table(table: rows.table.name, rows: count, differences: differences)
    }
  }

  /// Says in which table something failed.
  private static func naming<T>(_ table: MovedTable, _ work: () throws -> T) throws -> T {
    do {
      return try work()
    } catch var failure as StorageFailure {
      failure.message = "In the table \(table.name): \(failure.message)"
      throw failure
    }
  }
}

extension DatabaseMove {
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Servers or commands have a PostgreSQL database open.
    case inUse(String, connections: Int)
    /// The target has rows of a server.
    case occupied(String)
    /// The target has a part of another server.
    case otherMove(String)
    /// The keys of the source are in its database, and no file opens them.
    case encryptedKeys
    /// The folder of the target has the keys of another server.
    case otherKeys(String)

    public var description: String {
      switch self {
      case .inUse(let address, let connections):
        "Rally uses the database \(address): \(connections) connection\(connections == 1 ? "" : "s")."
      case .occupied(let place): "There are accounts in \(place) already."
      case .otherMove(let place): "A part of another server was moved into \(place)."
      case .encryptedKeys: "The keys of this server are encrypted in its database."
      case .otherKeys(let folder): "\(folder) has the keys of another server (server.json)."
      }
    }
  }
}
