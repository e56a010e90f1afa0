import CSodium
import Foundation
import GRDB

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
      crypto_hash_sha256_update(
        &state, [UInt8](repeating: 0, count: length), UInt64(length))
      add(place + length..<bytes.count)
    }
    var digest = [UInt8](repeating: 0, count: length)
    crypto_hash_sha256_final(&state, &digest)
    return digest
  }
}
