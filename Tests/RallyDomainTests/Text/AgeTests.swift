import RallyDomain
import RallyWire
import Testing

@testable import RallySystem

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

  @Test(arguments: [
    (0, "now", "just now"), (4, "now", "just now"), (6, "1m", "1 minute ago"),
    (75, "2m", "2 minutes ago"), (3600, "1h", "1 hour ago"),
  ])
  func `a screen tells it by the minutes of the clock`(
    seconds: Int, short: String, sentence: String
  ) {
    // Five seconds into a minute.
    let now = WireTime(microseconds: 1_767_322_985_000_000)
    let time = now.advanced(by: .seconds(-seconds))
    #expect(Age.shortByMinute(time, at: now) == short)
    #expect(Age.sentenceByMinute(time, at: now) == sentence)
  }

  @Test(arguments: [
    (-120, "<15m", "within 15 min"), (0, "<15m", "within 15 min"), (899, "<15m", "within 15 min"),
    (900, "<30m", "within 30 min"), (2699, "<45m", "within 45 min"),
    (3599, "<1h", "within 1 hour"), (3600, "45m", nil), (4 * 3600, "3h", nil),
  ])
  func `of a quarter of an hour only a range is told`(
    seconds: Int, short: String, words: String?
  ) {
    let start = now.advanced(by: .seconds(-seconds))
    #expect(Age.short(quarter: start, at: now) == short)
    #expect(Age.within(quarter: start, at: now) == words)
  }

  @Test func `a day is written for people`() {
    #expect(Age.day(now) == "2 Jan 2026")
  }
}
