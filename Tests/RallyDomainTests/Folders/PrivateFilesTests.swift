import Foundation
import RallyTestSupport
import Testing

@testable import RallyDomain

struct PrivateFilesTests {
  @Test func `a write that cannot replace its destination closes only its own file`() async throws {
    let folder = try TemporaryFolder()
    // A folder cannot be replaced by a file.
    let path = folder.file("taken")
    try PrivateFiles.makeFolder(path)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<2000 {
          #expect(throws: POSIXError.self) { try PrivateFiles.write(Data("a".utf8), to: path) }
        }
      }
      // Takes the number that the write has just given back, and must keep it.
      group.addTask {
        for _ in 0..<20_000 {
          let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
          sched_yield()
          #expect(close(descriptor) == 0)
        }
      }
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(left.filter { $0.hasPrefix("taken") } == ["taken"])
  }
}
