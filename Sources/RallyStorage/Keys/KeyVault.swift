import Foundation
import RallyWire

/// The keys of all servers on a PostgreSQL database, encrypted in it under the key of a file.
package struct KeyVault: Sendable {
  /// How long a new secret is known before it signs: by then every server has read it.
  static let activation = Duration.seconds(10)

  package let storage: Storage
  /// The file of the encryption key.
  package let path: String

  package init(storage: Storage, path: String) {
    self.storage = storage
    self.path = path
  }

  /// The keys in the database. At the first start they are made, or `existing` ones are taken over;
  /// so is the encryption key, if its file is missing.
  ///
  /// - Throws: `KeyVaultFailure`, `DataFolderFailure`, `StorageFailure`.
  package func keys(orStoring existing: @autoclosure () throws -> ServerKeys?) async throws
    -> ServerKeys
  {
    if try await storage.read(KeyRecords.find) != nil { return try await keys() }
    let file = try EncryptionKey.read(path)
    let key = try file ?? EncryptionKey.make(path)
    let fresh = try existing() ?? ServerKeys()
    let sealed = key.seal(try WireJSON.encode(fresh))
    let stored = try await storage.write { database in
      try KeyRecords.insert(sealed, in: database)
      return try KeyRecords.find(in: database)
    }
    // Another server was first.
    if file == nil, stored != sealed { unlink(path) }
    return try await keys()
  }

  /// - Throws: `KeyVaultFailure`, also for a database without keys; `StorageFailure`.
  package func keys() async throws -> ServerKeys {
    guard let sealed = try await storage.read(KeyRecords.find) else { throw KeyVaultFailure.empty }
    return try opened(sealed, with: try key())
  }

  /// Replaces the signing secret; every server takes the new one by itself.
  package func rotate(at time: WireTime = .now, activation: Duration = activation) async throws {
    let key = try key()
    try await storage.write { database in
      guard let sealed = try KeyRecords.find(in: database) else { throw KeyVaultFailure.empty }
      let rotated = try opened(sealed, with: key).rotated(
        at: time, signingFrom: time.advanced(by: activation))
      try KeyRecords.update(key.seal(try WireJSON.encode(rotated)), in: database)
      try RelayKind.keys.append(of: "", at: time, to: database)
    }
  }

  // MARK: - For a move

  /// Whether a database has keys, which only its encryption key opens.
  static func hasKeys(in database: Database) throws -> Bool {
    try KeyRecords.find(in: database) != nil
  }

  /// The keys in a database.
  ///
  /// - Parameter path: The file of the encryption key.
  /// - Throws: As `keys()`.
  package static func keys(in database: Database, path: String) throws -> ServerKeys {
    guard let sealed = try KeyRecords.find(in: database) else { throw KeyVaultFailure.empty }
    guard let key = try EncryptionKey.read(path) else { throw KeyVaultFailure.missing(path) }
    return try opened(sealed, with: key, of: path)
  }

  /// Puts keys in the place of those that are there, and makes the file of the encryption key if it
  /// is missing.
  package static func replace(with keys: ServerKeys, in database: Database, path: String) throws {
    let key = try EncryptionKey.read(path) ?? EncryptionKey.make(path)
    let sealed = key.seal(try WireJSON.encode(keys))
    try KeyRecords.insert(sealed, in: database)
    try KeyRecords.update(sealed, in: database)
  }

  // MARK: - The file

  private func key() throws(KeyVaultFailure) -> EncryptionKey {
    guard let key = try EncryptionKey.read(path) else { throw .missing(path) }
    return key
  }

  private func opened(_ sealed: String, with key: EncryptionKey) throws -> ServerKeys {
    try KeyVault.opened(sealed, with: key, of: path)
  }

  private static func opened(
    _ sealed: String, with key: EncryptionKey, of path: String
  ) throws -> ServerKeys {
    guard let data = key.unsealed(sealed) else { throw KeyVaultFailure.wrong(path) }
    return try WireJSON.decode(ServerKeys.self, from: data)
  }
}

/// The table `server_keys`, of one row. PostgreSQL only.
private enum KeyRecords {
  static func find(in database: Database) throws -> String? {
    try String.fetchOne(database, sql: "SELECT sealed FROM server_keys WHERE id = 1")
  }

  /// Keeps a row that is there.
  static func insert(_ sealed: String, in database: Database) throws {
    try database.execute(
      sql: "INSERT INTO server_keys (id, sealed) VALUES (1, ?) ON CONFLICT (id) DO NOTHING",
      arguments: [sealed])
  }

  static func update(_ sealed: String, in database: Database) throws {
    try database.execute(sql: "UPDATE server_keys SET sealed = ? WHERE id = 1", arguments: [sealed])
  }
}

extension Migrations {
  static let serverKeys = """
    CREATE TABLE server_keys (
      id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
      sealed TEXT NOT NULL);
    """
}

/// The key that encrypts a server's keys in its database: 32 bytes in base64 for URLs, in a file that
/// only its owner may read.
struct EncryptionKey: Sendable {
  private let key: SecretKey

  /// - Throws: `KeyVaultFailure` for a file that others may read or that has no key.
  /// - Returns: nil without a file.
  static func read(_ path: String) throws(KeyVaultFailure) -> EncryptionKey? {
    let file: (data: Data, mode: mode_t)?
    do {
      file = try PrivateFile.read(path, upTo: 256)
    } catch {
      throw .unreadable(path: path, reason: "\(error)")
    }
    guard let file else { return nil }
    guard file.mode & 0o077 == 0 else { throw .notPrivate(path) }
    let word = String(decoding: file.data, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard let key = Base64URL.decode(word).flatMap(SecretKey.init(bytes:)) else {
      throw .noKey(path)
    }
    return EncryptionKey(key: key)
  }

  /// Makes a key and its file (0600).
  ///
  /// - Throws: `DataFolderFailure`.
  static func make(_ path: String) throws -> EncryptionKey {
    let key = SecretKey.random()
    try DataFolder.writePrivate(Data((Base64URL.encode(key.bytes) + "\n").utf8), to: path)
    return EncryptionKey(key: key)
  }

  func seal(_ data: Data) -> String { Base64URL.encode(Sodium.seal(Array(data), key: key)) }

  /// nil for what another key sealed, or what was changed.
  func unsealed(_ text: String) -> Data? {
    Base64URL.decode(text).flatMap { Sodium.open($0, key: key) }.map { Data($0) }
  }
}

/// Why a server's keys in the database cannot be used, as a sentence for the operator.
public enum KeyVaultFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case unreadable(path: String, reason: String)
  case notPrivate(String)
  case noKey(String)
  /// The database has keys already.
  case missing(String)
  case wrong(String)
  /// The database has no keys yet.
  case empty

  public var description: String {
    switch self {
    case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
    case .notPrivate(let path): "\(path) can be read by others; chmod 600 it."
    case .noKey(let path): "\(path) has no encryption key: 32 bytes in base64 for URLs."
    case .missing(let path):
      "The keys in this database are encrypted, and \(path) is missing; copy it from another server"
        + " of this database."
    case .wrong(let path):
      "\(path) does not open the keys in this database; copy the file of another server of it."
    case .empty: "There are no keys in this database; start the server once with this file."
    }
  }
}
