import Foundation
import RallyTestSupport
import Testing

@testable import RallySystem

struct PrivateFilesTests {
  @Test func `a write that cannot replace its destination closes only its own file`() async throws {
    let folder = try TemporaryFolder()
    // A folder cannot be replaced by a file.
    let path = folder.file("taken")
    try PrivateFiles.makeFolder(path)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<2000 {
          #expect(throws: FileError.self) { try PrivateFiles.write(Data("a".utf8), to: path) }
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

  @Test func `why a folder or a file cannot be used is told as the system says it`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("taken")
    #expect(try PrivateFiles.create(Data(), at: file))
    let made = #expect(throws: FileError.self) { try PrivateFiles.makeFolder("\(file)/below") }
    #expect(made?.sentence == "\(file)/below cannot be used (not a directory).")
    let written = #expect(throws: FileError.self) {
      try PrivateFiles.write(Data(), to: folder.file("none/below"))
    }
    #expect(written?.reason == "no such file or directory")
    let listed = #expect(throws: (any Error).self) {
      try FileManager.default.contentsOfDirectory(atPath: folder.file("none"))
    }
    let error = try FileError(#require(listed))
    #expect(error?.sentence == "\(folder.file("none")) cannot be used (no such file or directory).")
  }

  @Test func `no more of a file is read than asked for`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("long")
    try PrivateFiles.write(Data(repeating: 7, count: 40_000), to: path)
    #expect(try PrivateFiles.read(path)?.count == 40_000)
    #expect(try PrivateFiles.read(path, upTo: 20_001)?.count == 20_001)
    #expect(try PrivateFiles.read(path, upTo: 50_000)?.count == 40_000)
  }
}
