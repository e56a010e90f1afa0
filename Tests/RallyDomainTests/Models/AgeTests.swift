import RallyDomain
import RallyWire
import Testing

@Suite struct AgeTests {
  let now = WireTime(microseconds: 1_767_323_045_000_000)

  @Test(arguments: [
    (-60, "now", "just now"), (0, "now", "just now"), (45, "45s", "45 seconds ago"),
    (60, "1m", "1 minute ago"), (7199, "1h", "1 hour ago"), (7200, "2h", "2 hours ago"),
    (86_400, "1d", "1 day ago"), (15 * 86_400, "2w", "15 days ago"),
    (100 * 86_400, "2025-09", "on 2025-09-24"),
  ])
  func `an age is told in the largest unit that fits`(
    seconds: Int, short: String, sentence: String
  ) {
    let time = now.advanced(by: .seconds(-seconds))
    #expect(Age.short(time, at: now) == short)
    #expect(Age.sentence(time, at: now) == sentence)
  }

  @Test func `a day is written for people`() {
    #expect(Age.day(now) == "2 Jan 2026")
  }
}
