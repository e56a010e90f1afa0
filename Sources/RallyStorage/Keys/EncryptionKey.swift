import Foundation

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
