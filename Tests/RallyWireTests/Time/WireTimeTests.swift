import Foundation
import RallyWire
import Testing

@Suite struct WireTimeTests {
  @Test(arguments: [
    (Int64(0), "1970-01-01T00:00:00.000000+00:00"),
    (1_767_323_045_123_456, "2026-01-02T03:04:05.123456+00:00"),
    (951_782_400_000_000, "2000-02-29T00:00:00.000000+00:00"),
    (-1, "1969-12-31T23:59:59.999999+00:00"),
    (4_107_542_399_000_001, "2100-02-28T23:59:59.000001+00:00"),
  ])
  func `known moments are written and read`(microseconds: Int64, text: String) {
    #expect(WireTime(microseconds: microseconds).description == text)
    #expect(WireTime(text)?.microseconds == microseconds)
  }

  @Test(arguments: [
    ("2026-01-02T03:04:05Z", 0), ("2026-01-02T03:04:05.1Z", 100_000),
    ("2026-01-02T03:04:05.123456789Z", 123_456), ("2026-01-02 03:04:05+00", 0),
    ("2026-01-02T08:34:05+05:30", 0), ("2026-01-01T22:04:05-0500", 0),
  ])
  func `every form of RFC 3339 is read`(text: String, fraction: Int64) {
    #expect(WireTime(text)?.microseconds == 1_767_323_045_000_000 + fraction)
  }

  @Test(arguments: [
    "", "2026", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05", "2026-01-02T03:04:05.Z",
    "2026-01-02T24:04:05Z", "2026-01-02T03:04:05Zx", "2026-01-02T03:04:05.1234567890Z",
  ])
  func `other text is no time`(text: String) {
    #expect(WireTime(text) == nil)
  }

  @Test(arguments: [
    "2027-02-29", "2028-02-30", "1900-02-29", "2027-04-31", "2027-06-31", "2027-09-31",
    "2027-11-31", "2027-12-32", "2027-01-00",
  ])
  func `a day that its month does not have is no time`(day: String) {
    #expect(WireTime("\(day)T18:00:00Z") == nil)
    let decoded = try? WireJSON.decode([WireTime].self, from: Data("[\"\(day)T18:00:00Z\"]".utf8))
    #expect(decoded == nil)
  }

  @Test(arguments: ["2028-02-29", "2000-02-29", "2027-04-30", "2027-12-31"])
  func `the last day of a month is one`(day: String) {
    #expect(WireTime("\(day)T18:00:00Z")?.description.prefix(10) == day[...])
  }

  @Test func `it agrees with Foundation over four centuries`() throws {
    let formatter = ISO8601DateFormatter()
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let seconds = Int64.random(in: -2_000_000_000...10_000_000_000, using: &generator)
      let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      let time = WireTime(microseconds: seconds * 1_000_000)
      #expect(time.zulu == expected.dropLast() + ".000000Z")
      #expect(WireTime(time.zulu) == time)
    }
  }

  @Test func `durations are added and measured`() {
    let time = WireTime(microseconds: 1_000_000)
    #expect(time.advanced(by: .milliseconds(1500)).microseconds == 2_500_000)
    #expect(time.advanced(by: .seconds(3)).since(time) == .seconds(3))
  }

  @Test func `a moment ahead is not recent, and neither is one as old as the window`() {
    let now = WireTime(microseconds: 1_000_000_000_000)
    func isRecent(_ age: Duration) -> Bool {
      let time = now.advanced(by: .zero - age)
      let isRecent = time.isRecent(within: .seconds(600), at: now)
      #expect(now.recentMoments(within: .seconds(600)).contains(time) == isRecent)
      return isRecent
    }
    #expect(isRecent(.zero) && isRecent(.seconds(599)))
    #expect(!isRecent(.seconds(600)) && !isRecent(.seconds(5 * 3600)))
    #expect(!isRecent(.seconds(-5 * 3600)) && !isRecent(.seconds(-3)))
    // Two servers whose clocks differ by a second.
    #expect(isRecent(.seconds(-1)))
  }

  @Test func `the steady clock goes on like the wall clock`() {
    let (steady, wall) = (WireTime.steady, WireTime.now)
    #expect(steady <= WireTime.steady)
    #expect(steady.isRecent(within: .seconds(3600), at: wall.advanced(by: .seconds(60))))
  }
}
