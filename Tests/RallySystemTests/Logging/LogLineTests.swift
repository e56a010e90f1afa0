import Foundation
import Logging
import RallyTestSupport
import Testing

@testable import RallySystem

@Suite struct LogLineTests {
  @Test func `a line is taken apart, and a foreign one stays whole`() {
    let line = LogLine(id: 0, text: "2026-11-21T18:31:02.5Z warning [Friends] fetch — limit: 25")
    #expect(line.clock == "18:31:02")
    #expect(line.level == .warning)
    #expect(line.message == "[Friends] fetch — limit: 25")
    #expect(line.matches(level: .warning, filter: "LIMIT"))
    #expect(!line.matches(level: .error, filter: ""))
    #expect(!line.matches(level: .trace, filter: "offset"))
    let foreign = LogLine(id: 7, text: "Fatal error: out of range")
    #expect(foreign.level == nil)
    #expect(foreign.message == "Fatal error: out of range")
    #expect(foreign.matches(level: .error, filter: "fatal"))
  }

  @Test func `the end of a file begins with a whole line, and lines keep their number`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x.log")
    try Data("one\ntwo\nthree\n".utf8).write(to: URL(fileURLWithPath: path))
    let all = LogTail.lines(of: path, count: 10, bytes: 100)
    #expect(all.map(\.text) == ["one", "two", "three"])
    let tail = LogTail.lines(of: path, count: 10, bytes: 8)
    #expect(tail == Array(all.suffix(1)))
    #expect(LogTail.lines(of: path, count: 2, bytes: 100) == Array(all.suffix(2)))
    #expect(LogTail.lines(of: folder.file("none"), count: 2, bytes: 100).isEmpty)
  }

  @Test(
    arguments: [
      ("fetchFriends — user: 5af8a29d-8d9c-4542-bd06-0123456789ab", nil),
      ("[Realtime] realtime:friendships — live", nil),
      ("token refreshed, expires in 3600", nil),
      ("at eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIx.abc", "at [removed]"),
      ("Bearer abc", "Bearer [removed]"), ("apikey=short1", "apikey=[removed]"),
      ("\"refresh_token\":\"r1\"", "\"refresh_token\":\"[removed]\""),
    ] as [(String, String?)])
  func `what looks like a secret is taken out, and nothing else`(_ line: String, clean: String?) {
    #expect(LogRedaction.clean(line) == clean ?? line)
  }
}
