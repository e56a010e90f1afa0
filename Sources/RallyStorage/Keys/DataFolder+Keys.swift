import Foundation
import RallyWire

extension DataFolder {
  var keysPath: String { DataFolder.keysPath(in: path) }

  private static func keysPath(in folder: String) -> String { folder + "/server.json" }

  /// The keys of this folder; created at the first start.
  package func keys() throws -> ServerKeys {
    if let (keys, _) = try DataFolder.storedKeys(in: path) {
      // A restored copy may have other permissions.
      chmod(keysPath, 0o600)
      return keys
    }
    let keys = try ServerKeys()
    try DataFolder.writePrivate(try WireJSON.encode(keys), to: keysPath)
    return keys
  }

  /// The keys in a folder, and their file; nil if there is none. Throws if it cannot be read, since
  /// new keys would sign everybody out.
  package static func storedKeys(in folder: String) throws -> (keys: ServerKeys, file: Data)? {
    let path = keysPath(in: folder)
    let file: (data: Data, mode: mode_t)?
    do {
      file = try PrivateFile.read(path)
    } catch {
      throw Failure.unreadableKeys(path: path, reason: "\(error)")
    }
    guard let data = file?.data else { return nil }
    guard let keys = try? WireJSON.decode(ServerKeys.self, from: data) else {
      throw Failure.damagedKeys(path: path)
    }
    return (keys, data)
  }

  /// The keys of an existing folder, and their file.
  package static func requireKeys(in folder: String) throws -> (keys: ServerKeys, file: Data) {
    guard let stored = try storedKeys(in: folder) else {
      throw Failure.missingKeys(path: keysPath(in: folder))
    }
    return stored
  }

  /// Replaces the signing secret; the old one is kept to verify its tokens.
  ///
  /// - Throws: `Failure`; then nothing has changed.
  package func rotateSecret(at time: WireTime = .now) throws {
    try DataFolder.writePrivate(try WireJSON.encode(try keys().rotated(at: time)), to: keysPath)
  }
}
