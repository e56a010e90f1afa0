import Logging
import RallyRules
import RallyStorage
import RallyWire

/// The database of a server with its keys, as its configuration says where they are.
struct OpenedStorage: Sendable {
  let storage: Storage
  let keys: KeyRing
  /// nil for keys in the data folder.
  var vault: KeyVault?
  var folder: DataFolder?
  var lock: DataFolderLock?

  /// Opens and migrates the database.
  ///
  /// - Parameter lock: The lock on the data folder if the caller holds it already; otherwise it is
  ///   taken before the folder is looked at.
  /// - Throws: `DataFolderLock.Failure`, `DataFolderFailure`, or `StorageFailure`.
  static func open(
    _ configuration: ServerConfiguration, lock: DataFolderLock?, logger: Logger
  ) async throws -> OpenedStorage {
    switch configuration.database {
    case .folder(let path): try inFolder(path, lock: lock)
    case .postgres(let address, let path):
      try await onPostgres(address, folder: path, configuration, lock: lock, logger: logger)
    case .inMemory:
      OpenedStorage(storage: try Storage(path: nil), keys: KeyRing(try ServerKeys()), lock: lock)
    }
  }

  private static func inFolder(_ path: String, lock: DataFolderLock?) throws -> OpenedStorage {
    let lock = try lock ?? DataFolderLock(folder: path)
    let folder = try DataFolder(path: path)
    let keys = KeyRing(try folder.keys())
    try folder.makeDatabase()
    return OpenedStorage(
      storage: try Storage(path: folder.databasePath), keys: keys, folder: folder, lock: lock)
  }

  private static func onPostgres(
    _ address: PostgresAddress, folder path: String?, _ configuration: ServerConfiguration,
    lock: DataFolderLock?, logger: Logger
  ) async throws -> OpenedStorage {
    let lock = try path.map { try lock ?? DataFolderLock(folder: $0) } ?? lock
    let folder = try path.map { try DataFolder(path: $0) }
    let storage = Storage(
      try await PostgresEngine(address, waiting: configuration.databasePatience) { error in
        logger.error("database: \(error) Waiting for it.")
      })
    let vault = configuration.encryptionKey.map { KeyVault(storage: storage, path: $0) }
    let keys =
      if let vault {
        try await vault.keys(
          orStoring: try path.flatMap { try DataFolder.storedKeys(in: $0) }?.keys)
      } else {
        try folder?.keys() ?? ServerKeys()
      }
    return OpenedStorage(
      storage: storage, keys: KeyRing(keys), vault: vault, folder: folder, lock: lock)
  }

  /// Notifies of what other processes write into the data folder at `path`.
  ///
  /// - Parameter onRemoval: Called instead of `onWrite` once the folder was removed.
  /// - Returns: nil where the system reports no writes, which is logged.
  func writeNotifier(
    folder path: String, logger: Logger, onRemoval: @escaping @Sendable () -> Void,
    onWrite: @escaping @Sendable () -> Void
  ) -> ExternalWriteNotifier? {
    let notifier = ExternalWriteNotifier(folder: path) { [storage, lock] in
      guard lock?.isCurrent(in: path) != false else {
        logger.error("storage: the folder \(path) was removed; the server ends")
        return onRemoval()
      }
      storage.othersWrote()
      onWrite()
    }
    if notifier == nil {
      logger.warning("commands beside this server reach open sockets late: no inotify")
    }
    return notifier
  }

  /// What this server shares with others on the same database; they may change the keys.
  func nodeLink(logger: Logger, wake: @escaping @Sendable () -> Void) -> NodeLink {
    NodeLink(
      storage: storage,
      readKeys: { [vault, keys] in
        guard let vault else { return }
        do {
          keys.replace(with: try await vault.keys())
        } catch {
          logger.error("keys: \(error) The former ones stay in use.")
        }
      }, wake: wake)
  }
}
