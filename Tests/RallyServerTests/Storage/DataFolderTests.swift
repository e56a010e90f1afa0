import Foundation
import Testing

@testable import RallyServer

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
}
