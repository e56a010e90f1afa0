import Foundation

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

  private static func exchange(in path: String) throws {
    try AuditLog(folder: path).append(.rotateSecret)
    try DataFolder(path: path).rotateSecret()
  }
}
