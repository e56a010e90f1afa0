import Foundation
import Testing

/// What keeps a quiet program quiet is the absence of one call, so its absence is looked at.
@Suite struct IdleSourcesTests {
  @Test(arguments: ["RallyWire", "RallyDomain", "RallyTUI", "RallyServer", "rally"])
  func `nothing that runs for long sleeps by the concurrency library`(target: String) throws {
    // given
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/\(target)").standardized
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    var sources = 0

    // when
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      sources += 1
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      let code = lines.filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }

      // then
      #expect(!code.contains { $0.contains("Task.sleep") || $0.contains(".sleep(") }, "\(file)")
    }
    #expect(sources > 0)
  }
}
