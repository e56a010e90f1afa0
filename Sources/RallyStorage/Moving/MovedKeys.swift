import RallyWire

/// Where the keys of one side of a move are.
enum MovedKeys {
  case folder(String)
  /// In the database, encrypted under the key in this file.
  case encrypted(by: String)

  /// The keys of the source.
  ///
  /// - Throws: `DatabaseMove.Failure`, `DataFolderFailure`, `KeyVaultFailure`.
  func read(from side: any MoveSide) throws -> ServerKeys {
    try side.read { database in
      switch self {
      case .encrypted(let path): return try KeyVault.keys(in: database, path: path)
      case .folder(let folder):
        guard try side.engine == .sqlite || !KeyVault.hasKeys(in: database) else {
          throw DatabaseMove.Failure.encryptedKeys
        }
        return try DataFolder.requireKeys(in: folder).keys
      }
    }
  }

  /// - Throws: If the keys of the source cannot stand here, before anything is moved.
  func requireRoom(for keys: ServerKeys) throws {
    switch self {
    case .encrypted(let path): _ = try EncryptionKey.read(path)
    case .folder(let folder):
      let there = try DataFolder.storedKeys(in: folder)?.keys
      guard there == nil || there?.apiKey == keys.apiKey else {
        throw DatabaseMove.Failure.otherKeys(folder)
      }
    }
  }

  func write(_ keys: ServerKeys, to side: any MoveSide) throws {
    switch self {
    case .encrypted(let path):
      try side.write { try KeyVault.replace(with: keys, in: $0, path: path) }
    case .folder(let path):
      let folder = try DataFolder(path: path)
      let data = try WireJSON.encode(keys)
      if try DataFolder.storedKeys(in: path)?.file == data { return }
      try DataFolder.writePrivate(data, to: folder.keysPath)
    }
  }
}
