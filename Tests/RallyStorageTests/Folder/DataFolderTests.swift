import Foundation
import Glibc
import RallyServer
import RallyTestSupport
import Testing

@testable import RallyStorage

@Suite struct DataFolderTests {
  @Test func `keys that cannot be read are not replaced by new ones`() throws {
    let place = ServedFolder()
    let folder = try DataFolder(path: place.path)
    let first = try folder.keys()
    #expect(try folder.keys().secret == first.secret)
    // Not even root follows a link to itself.
    unlink(folder.keysPath)
    symlink("server.json", folder.keysPath)
    let failure = #expect(throws: DataFolderFailure.self) { try folder.keys() }
    let reason = String(cString: strerror(ELOOP))
    #expect(failure == .unreadableKeys(path: place.path + "/server.json", reason: reason))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.keysPath) == "server.json")
  }

  /// Nobody's.
  private static let stranger: uid_t = 65_534

  /// The files of a folder that are not its owner's.
  private func foreign(in folder: ServedFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
      let found = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
      return [.ownerAccountID, .groupOwnerAccountID].contains {
        (found[$0] as? NSNumber)?.uint32Value != Self.stranger
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can"))
  func `what root makes in the folder of another user is theirs`() async throws {
    let folder = ServedFolder()
    let backup = folder.path + ".backup"
    defer { unlink(backup) }
    try DataFolder.makePrivate(folder.path)
    chown(folder.path, Self.stranger, Self.stranger)
    try await folder.serve { server in
      _ = try await Person.signUp("ana", on: server)
      #expect(try foreign(in: folder) == [])
      #expect(FileManager.default.fileExists(atPath: folder.path + "/rally.db-wal"))
      _ = try ServerBackup.make(of: folder.path, to: backup)
      _ = try await folder.administer { try await $0.accounts() }
      #expect(try DatabaseCheck.problems(in: folder.path) == [])
      #expect(try foreign(in: folder) == [])
    }
    _ = try await folder.administer { try await $0.disable("ana") }
    _ = try ServerBackup.restore(backup, into: folder.path, replacing: true)
    _ = try SecretRotation.rotate(folder: folder.path)
    #expect(FileManager.default.fileExists(atPath: folder.path + "/rally.db.replaced"))
    #expect(try foreign(in: folder) == [])
  }

  @Test func `a link in the place of the lock is not followed`() throws {
    let folder = ServedFolder()
    try DataFolder.makePrivate(folder.path)
    let file = folder.path + "/precious"
    try Data("precious".utf8).write(to: URL(filePath: file))
    symlink("precious", folder.path + "/server.lock")
    #expect(throws: DataFolderLock.Failure.self) { try DataFolderLock(folder: folder.path) }
    #expect(FileManager.default.contents(atPath: file) == Data("precious".utf8))
  }
}
