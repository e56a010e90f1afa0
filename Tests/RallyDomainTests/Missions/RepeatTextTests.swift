import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct RepeatTextTests {
  private static let berlin = LocalTimeZone(identifier: "Europe/Berlin")!
  /// Tuesday 18:30 in Berlin.
  private static let start = WireTime("2026-12-01T17:30:00Z")!

  private func series(
    _ repeats: MissionRepeat, from start: WireTime = start, until: String? = nil
  ) -> MissionSeries {
    MissionSeries(
      repeats: repeats, startsAt: start, until: until.flatMap { WireTime($0) },
      timeZone: "Europe/Berlin")
  }

  @Test func `a series ends with a day, or after so many times`() throws {
    func until(_ text: String) throws -> WireTime? {
      try RepeatText.until(text, of: series(.weekly), now: Self.start)
    }
    #expect(try until("") == nil)
    // The last second of the day in Berlin.
    #expect(try until("2026-12-22") == WireTime("2026-12-22T22:59:59Z"))
    #expect(try until(" 8 times ") == WireTime("2027-01-19T17:30:00Z"))
    #expect(try until("8x") == WireTime("2027-01-19T17:30:00Z"))
    for text in [
      "soon", "1 times", "0x", "1001 times", "2026-11-30", "2046-01-01", "8", "-3 times",
    ] {
      #expect(throws: FieldProblem.self, "\(text)") { try until(text) }
    }
  }
}
