import Foundation
import RallyTestSupport
import Testing

@testable import RallySystem

struct ChosenFilesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func type(of path: String) throws -> FileAttributeType? {
    try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
  }

  @Test func `a new file may be read by whoever the umask lets`() throws {
    let mask = umask(0)
    umask(mask)
    try ChosenFiles.write(Data("a".utf8), to: folder.file("new"))
    #expect(folder.permissions(of: "new") == Int(0o666 & ~mask))
  }

  @Test func `a file is replaced at the end of its link, and keeps its mode`() throws {
    // given
    let (file, link) = (folder.file("file"), folder.file("link"))
    try Data("what was there before".utf8).write(to: URL(fileURLWithPath: file))
    #expect(chmod(file, 0o640) == 0 && symlink(file, link) == 0)
    // when
    try ChosenFiles.write(Data("new".utf8), to: link)
    // then
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
    #expect(folder.permissions(of: "file") == 0o640)
    #expect(try type(of: link) == .typeSymbolicLink)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.filter { $0.hasPrefix("file") } == ["file"])
  }

  @Test func `a pipe is written to and stays a pipe`() throws {
    // given
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    // when
    try ChosenFiles.write(Data("new".utf8), to: pipe)
    // then
    #expect(try PrivateFiles.read(from: reader, upTo: 3) == Data("new".utf8))
    // Foundation has no name for a pipe.
    #expect(try type(of: pipe) == .typeUnknown)
  }

  @Test func `a folder is no file to write`() throws {
    let error = #expect(throws: FileError.self) {
      try ChosenFiles.write(Data("new".utf8), to: folder.path)
    }
    #expect(error?.reason == "is a directory")
  }

  @Test func `the first file that is not there is created`() throws {
    let paths = [folder.file("one"), folder.file("two")]
    #expect(try ChosenFiles.create(Data("a".utf8), at: paths) == paths[0])
    #expect(try ChosenFiles.create(Data("b".utf8), at: paths) == paths[1])
    #expect(throws: FileError.self) { try ChosenFiles.create(Data("c".utf8), at: paths) }
    #expect(try String(contentsOfFile: paths[0], encoding: .utf8) == "a")
  }
}
