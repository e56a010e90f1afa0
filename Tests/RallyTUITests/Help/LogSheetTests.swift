import Foundation
import RallyDomain
import RallyTestSupport
import Synchronization
import Testing

@testable import RallySystem
@testable import RallyTUI
@testable import TerminalKit

@Suite struct LogSheetTests {
  /// A log that the test writes.
  private final class Sample: Sendable {
    private let lines = Mutex<[LogLine]>([])
    private let changes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    func write(_ line: String) {
      lines.withLock {
        $0.append(LogLine(id: $0.count, text: "2026-11-21T18:31:0\($0.count)Z \(line)"))
      }
      changes.continuation.yield()
    }

    var reader: LogReader {
      LogReader(lines: { self.lines.withLock(\.self) }, changes: { self.changes.stream })
    }
  }

  @Test func `the log is followed, held, filtered by level and text, and copied`() async {
    let log = Sample()
    log.write("info [Friends] fetchFriends")
    log.write("info [Sheet] first line")
    log.write("warning [Sheet] second line")
    let screen = TestScreen(
      size: Size(width: 60, height: 12), table: .rally,
      root: LogSheet().environment(\.logReader, log.reader))
    await screen.waitFor("18:31:02 warning [Sheet] second line")
    #expect(screen.contains("following"))
    log.write("info [Sheet] third line")
    await screen.waitFor("third line")
    #expect(screen.contains("following"))

    screen.press("k")
    await screen.waitFor("held")
    log.write("info [Sheet] fourth line")
    await screen.waitFor("fourth line")
    #expect(screen.style(of: "18:31:02 warning")?.role == .selection)

    screen.press("/")
    screen.type("[sheet]")
    await screen.waitUntil { !screen.contains("[Friends]") }
    #expect(screen.contains("first line"))
    screen.press("Enter l l")
    await screen.waitFor("warning and above")
    #expect(screen.contains("second line"))
    #expect(!screen.contains("third line"))
    screen.press("l")
    await screen.waitFor("No line matches.")
    screen.press("Esc h h h")
    await screen.waitFor("[Friends]")
    screen.press("G")
    await screen.waitFor("following")
  }
}
