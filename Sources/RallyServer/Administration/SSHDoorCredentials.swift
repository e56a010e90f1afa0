import Foundation
import RallyRules
import RallyStorage

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
