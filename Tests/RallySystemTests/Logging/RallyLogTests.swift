import Foundation
import Logging
import RallyTestSupport
import Testing

@testable import RallySystem

@Suite struct RallyLogTests {
  @Test func `a line says when, how grave, who and what`() throws {
    let folder = try TemporaryFolder()
    let file = LogFile()
    try file.open(path: folder.file("rally.log"))
    let logger = Logger(label: "Friends") { LogFileHandler(label: $0, file: file) }
    logger.info("fetchFriends — limit: \(25)")
    logger.debug("not written")
    logger.error("two\nlines \u{1B}[31m")
    file.flush()
    let lines = try String(contentsOfFile: folder.file("rally.log"), encoding: .utf8)
      .split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasSuffix("Z info [Friends] fetchFriends — limit: 25"))
    #expect(lines[1].hasSuffix("error [Friends] two lines [31m"))
    #expect(folder.permissions(of: "rally.log") == 0o600)
  }

  @Test func `two files of bounded size are kept`() throws {
    let folder = try TemporaryFolder()
    let file = LogFile(limit: 1000)
    try file.open(path: folder.file("rally.log"))
    for number in 0..<100 { file.write("line \(number) \(String(repeating: "x", count: 40))") }
    file.flush()
    let names = folder.contents.filter { $0.contains(".log") }
    #expect(names == ["rally.log", "rally.log.1"])
    for name in names {
      let size = try Data(contentsOf: URL(fileURLWithPath: folder.file(name))).count
      #expect(size <= 1000)
    }
    #expect(
      try String(contentsOfFile: folder.file("rally.log"), encoding: .utf8).contains("line 99"))
  }

  @Test func `nothing is written before the file is open`() {
    let file = LogFile()
    file.write("lost")
    file.flush()
    #expect(file.path == nil)
  }
}
