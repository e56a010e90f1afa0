import Foundation
import RallyDomain
import RallyWire
import Testing

@Suite struct QuietHoursTests {
  private func date(_ text: String) throws -> Date {
    try Date(text, strategy: .iso8601)
  }

  @Test(arguments: [
    ("22:00-07:00", "22:00-07:00"), ("9:05 - 17:30", "09:05-17:30"), ("00:00-23:59", "00:00-23:59"),
  ])
  func `two times of a day are quiet hours`(_ text: String, _ written: String) {
    #expect(QuietHours(text)?.description == written)
  }

  @Test(arguments: [
    "", "22:00", "22-07", "22:00-", "24:00-07:00", "22:60-07:00", "22:00-07:00-08:00",
    "22:00-22:00",
    "10 pm-7 am", "２２:00-07:00", "-1:00-07:00", "22:0-07:00",
  ])
  func `anything else is none`(_ text: String) {
    #expect(QuietHours(text) == nil)
  }

  @Test func `a night goes over midnight, and its end is not quiet any more`() throws {
    let night = try #require(QuietHours("22:00-07:00"))
    for (time, isQuiet) in [
      ("21:59:59", false), ("22:00:00", true), ("23:59:59", true), ("00:00:00", true),
      ("06:59:59", true), ("07:00:00", false), ("12:00:00", false),
    ] {
      #expect(night.contain(try date("2026-05-02T\(time)Z"), in: .utc) == isQuiet, "\(time)")
    }
    let noon = try #require(QuietHours("12:00-13:00"))
    #expect(noon.contain(try date("2026-05-02T12:30:00Z"), in: .utc))
    #expect(!noon.contain(try date("2026-05-02T13:00:00Z"), in: .utc))
    // Before 1970 the minutes still count forwards.
    #expect(noon.contain(try date("1969-12-31T12:30:00Z"), in: .utc))
  }

  @Test func `the clock on the wall counts, in summer and in winter`() throws {
    let night = try #require(QuietHours("22:00-07:00"))
    let lisbon = try #require(LocalTimeZone(identifier: "Europe/Lisbon"))
    #expect(night.contain(try date("2026-07-01T21:30:00Z"), in: lisbon))
    #expect(!night.contain(try date("2026-01-01T21:30:00Z"), in: lisbon))
    let kathmandu = try #require(LocalTimeZone(identifier: "Asia/Kathmandu"))
    #expect(night.contain(try date("2026-07-01T16:15:00Z"), in: kathmandu))
    #expect(!night.contain(try date("2026-07-01T16:14:59Z"), in: kathmandu))
  }
}
