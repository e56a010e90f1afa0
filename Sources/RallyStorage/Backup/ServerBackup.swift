import CSodium
import Foundation
import GRDB
import RallyWire

/// A backup file: a snapshot of the database, and the keys.
///
/// Can be made beside a running server, without blocking it. It contains all writes that were
/// acknowledged before it began. The file is a SQLite database.
public enum ServerBackup {
  public struct Summary: Hashable, Sendable, Encodable {
    public var file: String
    public var bytes: Int
    public var accounts: Int
    public var madeAt: WireTime

    enum CodingKeys: String, CodingKey {
      case file, bytes, accounts
      case madeAt = "made_at"
    }
  }

  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case exists(String)
    case noFolder(String)
    case noFile(String)
    case notABackup(String)
    case damaged(String, problem: String)
    case occupied(String)

    public var description: String {
      switch self {
      case .exists(let file): "There is a file \(file) already."
      case .noFolder(let folder): "There is no folder \(folder)."
      case .noFile(let file): "There is no file \(file)."
      case .notABackup(let file): "\(file) is no backup of a Rally server."
      case .damaged(let file, let problem): "\(file) is damaged: \(problem)."
      case .occupied(let folder): "There is a database in \(folder) already."
      }
    }
  }

  // MARK: - Making

  /// - Parameter isReplacing: Whether an existing file is replaced.
  /// - Throws: `Failure`, `ExistingDatabase.Failure`, `DataFolderFailure`, or a system error.
  public static func make(
    of folder: String, to file: String, replacing isReplacing: Bool = false
  ) throws -> Summary {
    guard isReplacing || !FileManager.default.fileExists(atPath: file) else {
      throw Failure.exists(file)
    }
    let place = (file as NSString).deletingLastPathComponent
    guard place.isEmpty || FileManager.default.fileExists(atPath: place) else {
      throw Failure.noFolder(place)
    }
    let source = ExistingDatabase.path(in: folder)
    try ExistingDatabase.requireCurrent(source)
    let keys = try DataFolder.requireKeys(in: folder).file
    // Created with mode 0600 first; SQLite fills the empty file.
    let draft = try PrivateFile.makeDraft(of: file)
    defer { unlink(draft) }
    let madeAt = WireTime.now
    let accounts: Int
    do {
      accounts = try fill(draft, from: source, keys: keys, at: madeAt)
    } catch let error as DatabaseError where StorageFailure(error).kind != .damaged {
      // The database was readable, so the backup's disk is full.
      throw PrivateFile.Failure(file, error.message ?? error.description)
    }
    try AuditLog(folder: folder).append(.backup, file: URL(filePath: file).path)
    try PrivateFile.publish(draft, as: file, replacing: isReplacing)
    let bytes = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
    return Summary(file: file, bytes: bytes ?? 0, accounts: accounts, madeAt: madeAt)
  }

  /// - Returns: The number of accounts.
  private static func fill(
    _ draft: String, from source: String, keys: Data, at time: WireTime
  ) throws -> Int {
    let queue = try ExistingDatabase.queue(source)
    try queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [draft]) }
    try queue.close()
    let copy = try ExistingDatabase.queue(draft)
    let accounts = try copy.write { database in
      try database.execute(
        sql: "CREATE TABLE rally_backup (made_at BIGINT NOT NULL, keys TEXT NOT NULL)")
      try database.execute(
        sql: "INSERT INTO rally_backup (made_at, keys) VALUES (?, ?)",
        arguments: [time.microseconds, String(decoding: keys, as: UTF8.self)])
      try BackupChecksum.reserve(in: database)
      return try Int.fetchOne(database, sql: "SELECT count(*) FROM users") ?? 0
    }
    try copy.close()
    try BackupChecksum.seal(draft)
    return accounts
  }

  // MARK: - Restoring

  /// Restores a backup into a data folder without a running server.
  ///
  /// Existing files are kept as `rally.db.replaced` and `server.json.replaced`.
  ///
  /// - Parameter isReplacing: Whether an existing database is replaced.
  /// - Throws: `DataFolderLock.Failure.held` while a server runs on the folder.
  public static func restore(
    _ file: String, into folder: String, replacing isReplacing: Bool = false
  ) throws -> Summary {
    guard access(file, R_OK) == 0 else {
      guard errno == ENOENT else { throw PrivateFile.Failure.system(file) }
      throw Failure.noFile(file)
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder.boolValue
    else { throw Failure.notABackup(file) }
    let lock = try DataFolderLock(folder: folder)
    defer { lock.release() }
    let data = try DataFolder(path: folder)
    let isOccupied = FileManager.default.fileExists(atPath: data.databasePath)
    guard isReplacing || !isOccupied else { throw Failure.occupied(folder) }
    let draft = data.databasePath + ".restored"
    unlink(draft)
    defer { unlink(draft) }
    try PrivateFile.copy(file, to: draft)
    let (madeAt, keys, accounts) = try unpack(draft, of: file)
    try AuditLog(folder: folder).append(.restore, file: URL(filePath: file).path)
    if !keys.isEmpty {
      try keep(data.keysPath)
      try DataFolder.writePrivate(Data(keys.utf8), to: data.keysPath)
    }
    if isOccupied { try setAside(data.databasePath) }
    try PrivateFile.publish(draft, as: data.databasePath, replacing: true)
    let bytes = try FileManager.default.attributesOfItem(atPath: data.databasePath)[.size] as? Int
    return Summary(file: data.databasePath, bytes: bytes ?? 0, accounts: accounts, madeAt: madeAt)
  }

  /// Checks a copy of a backup, and makes a server's database of it.
  private static func unpack(
    _ draft: String, of file: String
  ) throws -> (WireTime, keys: String, accounts: Int) {
    let checksum = try BackupChecksum.state(of: draft)
    guard checksum != .wrong else {
      throw Failure.damaged(file, problem: "its checksum is another one")
    }
    do {
      let queue = try ExistingDatabase.queue(draft)
      defer { try? queue.close() }
      let found = try queue.write { database -> (WireTime, String, Int)? in
        guard try database.tableExists("rally_backup"),
          let row = try GRDB.Row.fetchOne(database, sql: "SELECT made_at, keys FROM rally_backup")
        else { return nil }
        guard try !SQLiteEngine.migrator.hasBeenSuperseded(database) else {
          throw ExistingDatabase.Failure.newer(file)
        }
        try database.execute(sql: "DROP TABLE rally_backup")
        if try database.tableExists(BackupChecksum.table) {
          guard checksum == .right else {
            throw Failure.damaged(file, problem: "it has lost its checksum")
          }
          try database.execute(sql: "DROP TABLE \(BackupChecksum.table)")
        }
        if let problem = try DatabaseCheck.problems(in: database).first {
          throw Failure.damaged(file, problem: problem)
        }
        return (
          WireTime(microseconds: row["made_at"]), row["keys"],
          try Int.fetchOne(database, sql: "SELECT count(*) FROM users") ?? 0
        )
      }
      guard let found else { throw Failure.notABackup(file) }
      return found
    } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
      throw Failure.notABackup(file)
    } catch let error as DatabaseError {
      throw Failure.damaged(file, problem: error.message ?? error.description)
    }
  }

  /// Renames the old database after a checkpoint: its log must not be applied to the new one.
  private static func setAside(_ path: String) throws {
    if let queue = try? ExistingDatabase.queue(path) {
      _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      try? queue.close()
    }
    try keep(path)
    for suffix in ["-wal", "-shm"] {
      let old = path + ".replaced" + suffix
      unlink(old)
      guard rename(path + suffix, old) == 0 || errno == ENOENT else {
        throw PrivateFile.Failure.system(path + suffix)
      }
    }
  }

  /// Links an existing file to a second name; the first stays valid until it is replaced.
  private static func keep(_ path: String) throws {
    let old = path + ".replaced"
    unlink(old)
    guard link(path, old) == 0 || errno == ENOENT else { throw PrivateFile.Failure.system(path) }
  }
}

/// The SHA-256 digest of a backup's file, within the file: it is counted as zeros there.
///
/// Most flipped bits lie in texts and numbers, of which no rule of the database knows. The digest has
/// a table of its own, so that its row is never spread over pages.
enum BackupChecksum {
  static let table = "rally_backup_checksum"
  private static let length = 32
  /// No text has these bytes.
  private static let mark: [UInt8] = [
    0xF7, 0xFF, 0x00, 0xC1, 0x52, 0x41, 0x4C, 0x4C, 0x59, 0x53, 0x48, 0x41, 0xC0, 0xF5, 0x00, 0xFE,
  ]

  enum State { case none, right, wrong }

  /// Makes its place in a database, which `seal` fills when the file is finished.
  static func reserve(in database: GRDB.Database) throws {
    try database.execute(sql: "CREATE TABLE \(table) (digest BLOB NOT NULL)")
    try database.execute(
      sql: "INSERT INTO \(table) (digest) VALUES (?)",
      arguments: [Data(mark + [UInt8](repeating: 0, count: length))])
  }

  /// Writes the digest of a file that nobody has open.
  static func seal(_ path: String) throws {
    let data = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
    guard let place = place(in: data) else { throw PrivateFile.Failure(path, "no checksum") }
    let digest = digest(of: data, apartFrom: place)
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw PrivateFile.Failure.system(path) }
    defer { close(file) }
    guard pwrite(file, digest, length, off_t(place)) == length, fsync(file) == 0 else {
      throw PrivateFile.Failure.system(path)
    }
  }

  /// - Returns: `none` for a file without one, as backups from before have it.
  package static func state(of path: String) throws -> State {
    let data = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
    guard let place = place(in: data) else { return .none }
    let digest = digest(of: data, apartFrom: place)
    return data[place..<place + length].elementsEqual(digest) ? .right : .wrong
  }

  /// Where the digest begins.
  private static func place(in data: Data) -> Int? {
    data.withUnsafeBytes { bytes -> Int? in
      guard let start = bytes.baseAddress else { return nil }
      var next = 0
      // Texts never have its first byte.
      while let found = memchr(start + next, Int32(mark[0]), bytes.count - next) {
        let place = UnsafeRawPointer(found) - start
        guard place + mark.count + length <= bytes.count else { return nil }
        if memcmp(found, mark, mark.count) == 0 { return place + mark.count }
        next = place + 1
      }
      return nil
    }
  }

  private static func digest(of data: Data, apartFrom place: Int) -> [UInt8] {
    var state = crypto_hash_sha256_state()
    crypto_hash_sha256_init(&state)
    data.withUnsafeBytes { bytes in
      func add(_ range: Range<Int>) {
        let part = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let start = part.baseAddress else { return }
        crypto_hash_sha256_update(
          &state, start.assumingMemoryBound(to: UInt8.self), UInt64(part.count))
      }
      add(0..<place)
      crypto_hash_sha256_update(&state, [UInt8](repeating: 0, count: length), UInt64(length))
      add(place + length..<bytes.count)
    }
    var digest = [UInt8](repeating: 0, count: length)
    crypto_hash_sha256_final(&state, &digest)
    return digest
  }
}
