import Foundation
import RallyRules
import RallyStorage

/// Replaces the signing secret of a server, running or not.
public enum SecretRotation {
  /// Creates a new secret and has a running server reload it; tokens of the old one stay valid
  /// until they expire.
  ///
  /// - Returns: The process that was notified; nil if no server runs.
  /// - Throws: `DataFolderFailure`, also for a folder that no server was started on, or
  ///   `DataFolderLock.Failure`.
  public static func rotate(folder path: String) throws -> Int32? {
    guard try DataFolder.storedKeys(in: path) != nil else {
      throw DataFolderFailure.noServer(path: path)
    }
    do {
      let lock = try DataFolderLock(folder: path)
      defer { lock.release() }
      try exchange(in: path)
      return nil
    } catch DataFolderLock.Failure.held {
      try exchange(in: path)
      // The lock is held, so the pid belongs to a running server.
      guard let owner = DataFolderLock.owner(folder: path) else { return nil }
      kill(owner.pid, SIGHUP)
      return owner.pid
    }
  }

  /// Creates a new secret in a PostgreSQL database whose keys are encrypted there. Every server on
  /// it takes the new one within moments, and signs with it after ten seconds.
  ///
  /// - Parameters:
  ///   - encryptionKey: The path of the key's file.
  ///   - folder: The data folder with the audit log.
  /// - Throws: `KeyVaultFailure`, `StorageFailure`, `AuditLog.Failure`.
  public static func rotate(
    in address: PostgresAddress, encryptionKey: String, folder: String
  ) async throws {
    let storage = try await Storage(command: address)
    defer { try? storage.close() }
    let vault = KeyVault(storage: storage, path: encryptionKey)
    // Before anything is written down.
    _ = try await vault.keys()
    try AuditLog(folder: folder).append(.rotateSecret)
    try await vault.rotate()
  }

  private static func exchange(in path: String) throws {
    try AuditLog(folder: path).append(.rotateSecret)
    try DataFolder(path: path).rotateSecret()
  }
}

/// What the SSH door of a server's host needs to ask it.
public struct SSHDoorCredentials: Hashable, Sendable {
  /// The API key, which every client has.
  public let apiKey: String
  /// A secret: whoever has it can begin a session of every account that has an SSH key.
  public let token: String

  /// Signs a token with the server's present secret; `SecretRotation` ends it.
  ///
  /// - Throws: `DataFolderFailure`, also for a folder that no server was started on.
  public init(folder path: String) throws {
    guard let (keys, _) = try DataFolder.storedKeys(in: path) else {
      throw DataFolderFailure.noServer(path: path)
    }
    apiKey = keys.apiKey
    token = try SSHDoor.token(keys: KeyRing(keys))
  }

  /// The same for a server whose keys are encrypted in a PostgreSQL database.
  ///
  /// - Parameter encryptionKey: The path of the key's file.
  /// - Throws: `KeyVaultFailure`, `StorageFailure`.
  public init(database address: PostgresAddress, encryptionKey: String) async throws {
    let storage = try await Storage(command: address)
    defer { try? storage.close() }
    let keys = try await KeyVault(storage: storage, path: encryptionKey).keys()
    apiKey = keys.apiKey
    token = try SSHDoor.token(keys: KeyRing(keys))
  }
}
