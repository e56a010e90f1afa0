import Foundation

/// Exchanging the secret that signs a server's tokens, while it runs or not.
public enum SecretRotation {
  /// Makes a new secret and has a running server use it; tokens of the old one stay good until
  /// they end.
  ///
  /// - Returns: The process that was told, nil when no server runs there.
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
      // The lock is held, so this is the process that lives and not one before it.
      guard let owner = DataFolderLock.owner(folder: path) else { return nil }
      kill(owner.pid, SIGHUP)
      return owner.pid
    }
  }

  private static func exchange(in path: String) throws {
    try AuditLog(folder: path).append(.rotateSecret)
    try DataFolder(path: path).rotateSecret()
  }
}
