import Foundation
import RallyTestSupport
import Testing

@testable import RallyDemo

struct DemoFolderTests {
  private func demos(in folder: TemporaryFolder) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.file("run/rally"))) ?? [])
      .filter { $0.hasPrefix("demo-") }
  }

  @Test func `it is private and gone once it is removed`() throws {
    let home = try TemporaryFolder()
    let demo = try DemoFolder(below: home.file("run/rally"))
    try Data("x".utf8).write(to: URL(fileURLWithPath: "\(demo.path)/file"))
    let name = try #require(demos(in: home).first)
    #expect(home.permissions(of: "run/rally/\(name)") == 0o700)
    #expect(home.permissions(of: "run/rally") == 0o700)
    demo.remove()
    #expect(demos(in: home).isEmpty)
    demo.remove()
  }

  @Test func `what was left behind goes, what is in use stays`() throws {
    let home = try TemporaryFolder()
    let runtime = home.file("run/rally")
    // Dropped without being removed, as by a program that was killed.
    _ = try DemoFolder(below: runtime)
    #expect(demos(in: home).count == 1)
    let used = try DemoFolder(below: runtime)
    #expect(demos(in: home).map { "\(runtime)/\($0)" } == [used.path])

    DemoFolder.removeAbandoned(below: runtime)
    #expect(demos(in: home).count == 1)
    let path = used.path
    let other = try DemoFolder(joining: path)
    DemoFolder.removeAbandoned(below: runtime)
    #expect(FileManager.default.fileExists(atPath: other.path))
  }

  @Test func `nothing is made or removed in a folder that others may use`() throws {
    let home = try TemporaryFolder()
    let runtime = home.file("run/rally")
    try FileManager.default.createDirectory(
      atPath: home.file("elsewhere"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: runtime, withDestinationPath: home.file("elsewhere"))
    #expect(throws: POSIXError.self) { try DemoFolder(below: runtime) }
    DemoFolder.removeAbandoned(below: home.file("missing"))
  }
}
