import Foundation
import Testing

/// What keeps a quiet program quiet is the absence of some calls, so their absence is looked at.
@Suite struct IdleSourcesTests {
  @Test(arguments: ["RallyWire", "RallyDomain", "RallyTUI", "RallyServer", "rally"])
  func `nothing sleeps by the concurrency library or works on a global queue`(target: String) throws
  {
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
      for call in ["Task.sleep", ".sleep(", "queue: .global(", "DispatchQueue.global("] {
        #expect(!code.contains { $0.contains(call) }, "\(call) in \(file)")
      }
    }
    #expect(sources > 0)
  }
}
