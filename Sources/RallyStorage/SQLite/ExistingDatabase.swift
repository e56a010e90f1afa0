import Foundation
import GRDB

/// The database of a data folder, opened by commands with or without a running server.
public enum ExistingDatabase {
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case missing(String)
    case older(String)
    case newer(String)
    case damaged(String)
    /// A move into it has not been finished.
    case halfMoved(String)
    /// The file cannot be read or written.
    case unusable(String, reason: String)

    /// The failure that an error means; nil for other errors.
    public init?(_ error: any Error, in folder: String) {
      let path = ExistingDatabase.path(in: folder)
      switch error {
      case let failure as Failure: self = failure
      case let error as DatabaseError:
        self.init(StorageFailure(error).kind, at: path, reason: error.message ?? "")
      case let failure as StorageFailure:
        self.init(failure.kind, at: path, reason: failure.message)
      default: return nil
      }
    }

    private init(_ kind: StorageFailure.Kind, at path: String, reason: String) {
      self = kind == .damaged ? .damaged(path) : .unusable(path, reason: reason)
    }

    public var description: String {
      switch self {
      case .missing(let path): "There is no database at \(path)."
      case .older(let path):
        "The database at \(path) is of an older version; start the server once with this one."
      case .newer(let path): "The database at \(path) is of a newer version of Rally."
      case .damaged(let path): "The database at \(path) is damaged, or is none."
      case .halfMoved(let path): "The database at \(path) is half moved."
      case .unusable(let path, let reason): "The database at \(path) cannot be used: \(reason)."
      }
    }
  }

  static func path(in folder: String) -> String { folder + "/rally.db" }

  /// - Throws: `Failure`; the database is neither created nor migrated.
  package static func engine(in folder: String) throws -> SQLiteEngine {
    try requireCurrent(path(in: folder))
    return try SQLiteEngine(path: path(in: folder), isShared: true)
  }

  /// - Throws: `Failure` unless exactly this version's migrations were applied.
  static func requireCurrent(_ path: String) throws {
    guard access(path, F_OK) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else {
        throw Failure.unusable(path, reason: String(cString: strerror(errno)))
      }
      throw Failure.missing(path)
    }
    try look(at: path) { database in
      guard try SQLiteEngine.migrator.hasCompletedMigrations(database) else {
        throw Failure.older(path)
      }
    }
  }

  /// - Parameter isMoving: Whether the caller is the move, which may go on where it was ended.
  /// - Throws: `Failure.newer` for a database with unknown migrations.
  static func requireNotNewer(_ path: String, isMoving: Bool = false) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    try look(at: path, isMoving: isMoving) { _ in }
  }

  /// Reads a database that is neither newer nor half moved, and leaves it as it is.
  private static func look(
    at path: String, isMoving: Bool = false, _ body: (GRDB.Database) throws -> Void
  ) throws {
    let queue = try queue(path)
    defer { try? queue.close() }
    try queue.read { database in
      guard try !SQLiteEngine.migrator.hasBeenSuperseded(database) else {
        throw Failure.newer(path)
      }
      guard try isMoving || !database.tableExists(MoveMarker.table) else {
        throw Failure.halfMoved(path)
      }
      try body(database)
    }
  }

  /// A separate connection without a transaction.
  static func queue(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
    return try DatabaseQueue(path: path, configuration: configuration)
  }
}
