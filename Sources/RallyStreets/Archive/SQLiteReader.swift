import CSQLite
import FoundationEssentials
import Glibc
import RallyText

/// A read-only connection to a database that may come from anywhere; one thread at a time.
///
/// SQL within the file (views) may read tables and use a few harmless functions, within a budget
/// of steps; values are bounded in length.
final class SQLiteReader {
  private let handle: OpaquePointer
  /// Thousands of steps that the running statement may still take.
  private let budget: UnsafeMutablePointer<Int>
  let path: String
  private let lengthAtOpening: Int64?

  /// Thousands of virtual machine steps for one row: some tenths of a second.
  private static let steps = 5_000
  /// The longest value in bytes: a packed tile and what surrounds it.
  private static let longestValue = Int32(TileLimits.unpackedTile + 65_536)

  /// - Throws: `ArchiveError`.
  init(path: String) throws(ArchiveError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(Self.address(path), &opened, flags, nil)
    guard result == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw .file("SQLite cannot open it")
    }
    handle = opened
    self.path = path
    budget = .allocate(capacity: 1)
    budget.initialize(to: Self.steps)
    lengthAtOpening = Self.length(path)
    for (limit, value) in Self.limits { sqlite3_limit(opened, limit, value) }
    sqlite3_progress_handler(
      opened, 1_000,
      { context in
        guard let budget = context?.assumingMemoryBound(to: Int.self) else { return 1 }
        budget.pointee -= 1
        return budget.pointee < 0 ? 1 : 0
      }, budget)
    // A mapped file that shrinks would end the program.
    for pragma in ["mmap_size=0", "trusted_schema=OFF", "cell_size_check=ON", "query_only=ON"] {
      guard sqlite3_exec(opened, "PRAGMA \(pragma)", nil, nil, nil) == SQLITE_OK else {
        throw failure(sqlite3_errcode(opened))
      }
    }
    sqlite3_set_authorizer(
      opened,
      { _, action, _, name, _, _ in
        switch action {
        case SQLITE_SELECT, SQLITE_READ: SQLITE_OK
        case SQLITE_FUNCTION:
          name.map { SQLiteReader.functions.contains(String(cString: $0).lowercased()) } == true
            ? SQLITE_OK : SQLITE_DENY
        default: SQLITE_DENY
        }
      }, nil)
  }

  deinit {
    sqlite3_close_v2(handle)
    budget.deallocate()
  }

  /// What views of real archives and the queries here use; each takes time by its arguments' length.
  private static let functions: Set<String> = [
    "min", "max", "coalesce", "ifnull", "nullif", "abs", "length",
  ]

  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_LENGTH, longestValue), (SQLITE_LIMIT_SQL_LENGTH, 65_536),
    (SQLITE_LIMIT_COLUMN, 100), (SQLITE_LIMIT_EXPR_DEPTH, 100),
    (SQLITE_LIMIT_COMPOUND_SELECT, 20), (SQLITE_LIMIT_VDBE_OP, 25_000),
    (SQLITE_LIMIT_FUNCTION_ARG, 8), (SQLITE_LIMIT_ATTACHED, 0),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
  ]

  /// The file as a URI. An immutable file needs no locks and no write access to its folder. With a
  /// journal beside it, another program may be writing, and locks are needed.
  private static func address(_ path: String) -> String {
    let absolute =
      path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    let hasJournal = ["-wal", "-journal"].contains { (length(path + $0) ?? 0) > 0 }
    return "file://\(absolute.percentEncoded(keeping: "/"))?mode=ro"
      + (hasJournal ? "" : "&immutable=1")
  }

  private static func length(_ path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  // MARK: Statements

  /// Compiles one statement, which lives as long as this connection at most.
  ///
  /// - Throws: `ArchiveError.notAnArchive` if a table or column is missing, `.damaged`.
  func statement(_ sql: String) throws(ArchiveError) -> SQLiteStatement {
    budget.pointee = Self.steps
    var prepared: OpaquePointer?
    let result = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard result == SQLITE_OK, let prepared else {
      // SQLite has one code for a missing table and for a function that is not allowed.
      let isMissing = String(cString: sqlite3_errmsg(handle)).hasPrefix("no such ")
      throw result == SQLITE_ERROR && isMissing ? .notAnArchive : failure(result)
    }
    return SQLiteStatement(prepared, of: self)
  }

  /// Moves a statement to its next row.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: `ArchiveError`; `.damaged` too if the row takes too many steps.
  func step(_ statement: OpaquePointer) throws(ArchiveError) -> Bool {
    budget.pointee = Self.steps
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result: throw failure(result)
    }
  }

  private func failure(_ result: Int32) -> ArchiveError {
    if let lengthAtOpening, (Self.length(path) ?? 0) < lengthAtOpening { return .vanished }
    switch result & 0xFF {
    case SQLITE_INTERRUPT: return .damaged("it takes too many steps to find a tile")
    case SQLITE_TOOBIG: return .tooLarge("A tile")
    case SQLITE_AUTH, SQLITE_ERROR:
      return .damaged("its tables compute something that is not allowed")
    case SQLITE_BUSY, SQLITE_LOCKED: return .file("another program is writing to it")
    case SQLITE_NOMEM: return .file("no memory is left")
    case SQLITE_IOERR, SQLITE_CANTOPEN: return .file("SQLite cannot read it")
    case SQLITE_NOTADB: return .notAnArchive
    default: return .damaged("SQLite finds its tables malformed")
    }
  }
}

/// A compiled statement and its current row.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let reader: SQLiteReader

  init(_ handle: OpaquePointer, of reader: SQLiteReader) {
    (self.handle, self.reader) = (handle, reader)
  }

  deinit { sqlite3_finalize(handle) }

  /// Starts anew with these numbers for its parameters.
  func bind(_ values: Int...) {
    sqlite3_reset(handle)
    for (index, value) in values.enumerated() {
      sqlite3_bind_int64(handle, Int32(index + 1), Int64(value))
    }
  }

  /// Releases the row and with it the locks on the file.
  func reset() { sqlite3_reset(handle) }

  /// - Returns: Whether there is a next row.
  /// - Throws: `ArchiveError`.
  func step() throws(ArchiveError) -> Bool { try reader.step(handle) }

  /// A column as a number; nil for NULL.
  func int(_ column: Int32) -> Int? {
    guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    return Int(sqlite3_column_int64(handle, column))
  }

  /// A column's bytes; nil for NULL.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: byteCount(column)))
  }

  private func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(handle, column)) }

  /// A column as text; nil for NULL. Invalid UTF-8 becomes replacement characters.
  func text(_ column: Int32) -> String? {
    bytes(column).map { String(decoding: $0, as: UTF8.self) }
  }
}
