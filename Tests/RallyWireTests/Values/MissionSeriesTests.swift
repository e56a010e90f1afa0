import FoundationEssentials
import Testing

@testable import RallyWire

/// Occurrences by the clocks of their zone. What is expected is written down from the published dates
/// of the changes of clocks, not computed.
@Suite struct MissionSeriesTests {
  private static func time(_ text: String) -> WireTime { WireTime(text + ":00Z")! }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var zone: String
    var repeats: MissionRepeat
    /// In UTC, the first one first.
    var starts: [String]
    var testDescription: String { name }
  }

  private static let cases = [
    Case(
      name: "Tuesdays 18:30 in Berlin, over the end of summer time on 2026-10-25",
      zone: "Europe/Berlin", repeats: .weekly,
      starts: ["2026-10-13T16:30", "2026-10-20T16:30", "2026-10-27T17:30", "2026-11-03T17:30"]),
    Case(
      name: "every day 2:30 in Berlin: 2026-03-29 skips 2:30, which becomes 3:30",
      zone: "Europe/Berlin", repeats: .daily,
      starts: ["2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30"]),
    Case(
      name: "every day 2:30 in Berlin: on 2026-10-25 the first of two",
      zone: "Europe/Berlin", repeats: .daily,
      starts: ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]),
    Case(
      name: "Sundays 9:00 in New York, over 2026-03-08",
      zone: "America/New_York", repeats: .weekly,
      starts: ["2026-03-01T14:00", "2026-03-08T13:00", "2026-03-15T13:00"]),
    Case(
      name: "every two weeks 20:00 in New York, a day later in UTC, over 2026-11-01",
      zone: "America/New_York", repeats: .fortnightly,
      starts: ["2026-10-24T00:00", "2026-11-07T01:00", "2026-11-21T01:00"]),
    Case(
      name: "every day 7:00 on Lord Howe Island, half an hour of summer time from 2026-10-04",
      zone: "Australia/Lord_Howe", repeats: .daily,
      starts: ["2026-10-02T20:30", "2026-10-03T20:00", "2026-10-04T20:00"]),
    Case(
      name: "every day 2:15 on Lord Howe Island, which 2026-10-04 skips",
      zone: "Australia/Lord_Howe", repeats: .daily,
      starts: ["2026-10-02T15:45", "2026-10-03T15:45", "2026-10-04T15:15"]),
    Case(
      name: "the 31st in Berlin, or the last day of the month",
      zone: "Europe/Berlin", repeats: .monthly,
      starts: [
        "2027-12-31T19:00", "2028-01-31T19:00", "2028-02-29T19:00", "2028-03-31T18:00",
        "2028-04-30T18:00",
      ]),
    Case(
      name: "every day 12:00 in Apia, which had no 2011-12-30",
      zone: "Pacific/Apia", repeats: .daily,
      starts: ["2011-12-29T22:00", "2011-12-30T22:00"]),
    Case(
      name: "weekly in UTC", zone: "UTC", repeats: .weekly,
      starts: ["2026-12-28T08:00", "2027-01-04T08:00"]),
  ]

  @Test(arguments: cases)
  func `occurrences keep their time by the clocks of their zone`(_ one: Case) throws {
    try #require(LocalTimeZone(identifier: one.zone) != nil)
    let starts = one.starts.map(Self.time)
    let series = MissionSeries(repeats: one.repeats, startsAt: starts[0], timeZone: one.zone)
    guard one.zone != "Pacific/Apia" else {
      // The day that was left out is counted, and is the one after it.
      #expect(series.start(after: starts[0]) == starts[1])
      return
    }
    #expect(starts.indices.map(series.start(number:)) == starts)
    // Also found from any moment between two of them.
    for (start, next) in zip(starts, starts.dropFirst()) {
      #expect(series.start(after: start) == next)
      #expect(series.start(after: next.advanced(by: .microseconds(-1))) == next)
    }
    #expect(series.start(after: starts[0].advanced(by: .seconds(-86_400 * 400))) == starts[0])
  }

  /// Independent of the product's arithmetic: dates are counted up day by day, and the clocks of the
  /// zone are read at each start.
  @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
  func `ten years of occurrences show the same clock, each on its day`(_ name: String) throws {
    let zone = try #require(LocalTimeZone(identifier: name))
    var generator = SystemRandomNumberGenerator()
    for repeats in MissionRepeat.allCases {
      // Hours that no zone here skips.
      let minute = Int64.random(in: 4 * 60..<24 * 60, using: &generator)
      let day = Int64.random(in: 20_000..<20_400, using: &generator)
      let wall = WireTime(microseconds: (day * 1440 + minute) * 60_000_000)
      let series = MissionSeries(
        repeats: repeats, startsAt: zone.time(ofLocal: wall), timeZone: name)
      var start = series.startsAt
      var date = wall.description.prefix(10)
      for _ in 0..<200 {
        let next = try #require(series.start(after: start))
        let shown = zone.local(next).description
        #expect(shown.dropFirst(11).prefix(5) == wall.description.dropFirst(11).prefix(5))
        let days = zone.local(next).since(zone.local(start)).components.seconds / 86_400
        switch repeats {
        case .daily: #expect(days == 1)
        case .weekly: #expect(days == 7)
        case .fortnightly: #expect(days == 14)
        case .monthly:
          #expect((28...31).contains(days))
          let (old, new) = (date.dropFirst(5).prefix(2), shown.dropFirst(5).prefix(2))
          #expect(Int(new) == (Int(old) ?? 0) % 12 + 1)
        }
        (start, date) = (next, shown.prefix(10))
      }
    }
  }

  private static func series(
    _ repeats: MissionRepeat, from start: String, day: Int? = nil, time: String? = nil,
    zone: String = "Europe/Berlin"
  ) -> MissionSeries {
    MissionSeries(
      repeats: repeats, startsAt: Self.time(start), monthDay: day,
      timeOfDay: time.flatMap { ClockTime($0) }, timeZone: zone)
  }

  @Test func `a series that begins where its month is shorter keeps its day`() {
    let series = Self.series(.monthly, from: "2027-02-28T17:00", day: 31)
    #expect(
      (0...3).map(series.start(number:))
        == ["2027-02-28T17:00", "2027-03-31T16:00", "2027-04-30T16:00", "2027-05-31T16:00"]
        .map(Self.time))
    #expect(series.start(after: Self.time("2027-03-01T00:00")) == Self.time("2027-03-31T16:00"))
    #expect(series.isConsistent)
  }

  @Test func `a series that begins where the clocks skip its time keeps its time`() {
    // Berlin skips 2:00 to 3:00 on 2027-03-28.
    let series = Self.series(.daily, from: "2027-03-28T01:30", time: "02:30")
    #expect(
      (0...2).map(series.start(number:))
        == ["2027-03-28T01:30", "2027-03-29T00:30", "2027-03-30T00:30"].map(Self.time))
    #expect(series.isConsistent)
  }

  @Test func `from any of its occurrences on it is the same series`() {
    for (series, number) in [
      (Self.series(.monthly, from: "2027-01-31T17:00"), 1),
      (Self.series(.daily, from: "2027-03-20T01:30"), 8),
      (Self.series(.weekly, from: "2027-03-21T01:30"), 1),
    ] {
      let rest = series.beginning(at: series.start(number: number))
      #expect(rest.startsAt == series.start(number: number))
      for next in 0...20 {
        #expect(rest.start(number: next) == series.start(number: number + next))
      }
      // Where both say the same, neither is written down.
      let plain = rest.beginning(at: rest.start(number: 1))
      #expect(plain.timeOfDay == nil && plain.monthDay == nil)
    }
  }

  @Test func `a moved occurrence keeps the day of the month unless it moves to another`() throws {
    let series = Self.series(.monthly, from: "2027-01-31T17:00")
    let old = series.start(number: 1)
    let later = series.moved(
      to: old.advanced(by: .seconds(5400)), from: old, repeats: .monthly, timeZone: "Europe/Berlin")
    #expect(later.start(number: 1) == Self.time("2027-03-31T17:30"))
    let earlier = series.moved(
      to: old.advanced(by: .seconds(-86_400)), from: old, repeats: .monthly,
      timeZone: "Europe/Berlin")
    #expect(earlier.start(number: 1) == Self.time("2027-03-27T17:00"))
    let weekly = series.moved(to: old, from: old, repeats: .weekly, timeZone: "Europe/Berlin")
    #expect(weekly.start(number: 1) == Self.time("2027-03-07T17:00"))
  }

  @Test func `a moved occurrence keeps the time of day unless that changes`() throws {
    let series = Self.series(.daily, from: "2027-03-20T01:30")
    let old = series.start(number: 8)
    #expect(old == Self.time("2027-03-28T01:30"))
    let weekly = series.moved(to: old, from: old, repeats: .weekly, timeZone: "Europe/Berlin")
    #expect(weekly.start(number: 1) == Self.time("2027-04-04T00:30"))
    let later = series.moved(
      to: old.advanced(by: .seconds(3600)), from: old, repeats: .daily, timeZone: "Europe/Berlin")
    #expect(later.start(number: 1) == Self.time("2027-03-29T02:30"))
    let elsewhere = series.moved(to: old, from: old, repeats: .daily, timeZone: "Europe/Lisbon")
    #expect(elsewhere.startsAt == old && elsewhere.isConsistent)
  }

  @Test func `a day or time that is not that of the start is none of the series`() {
    for series in [
      Self.series(.monthly, from: "2027-02-27T17:00", day: 31),
      Self.series(.monthly, from: "2027-02-28T17:00", day: 40),
      Self.series(.weekly, from: "2027-02-28T17:00", day: 31),
      Self.series(.daily, from: "2027-03-28T01:30", time: "02:15"),
      Self.series(.daily, from: "2027-03-29T01:30", time: "02:30"),
    ] { #expect(!series.isConsistent, "\(series)") }
    // The second of two moments at which the clocks show the same.
    #expect(Self.series(.daily, from: "2027-10-31T01:30").isConsistent)
  }

  @Test(arguments: [
    ("02:30", "02:30"), ("02:30:00", "02:30"), ("23:59:59.5", "23:59:59.500000"),
    ("00:00:07", "00:00:07"),
  ])
  func `a time of day is written as short as it is exact`(text: String, written: String) {
    #expect(ClockTime(text)?.description == written)
    #expect(ClockTime(written) == ClockTime(text))
  }

  @Test(arguments: ["", "2:30", "24:00", "02:60", "02:30Z", "23:59:60", "02:30+01:00"])
  func `what is no time of day is none`(text: String) {
    #expect(ClockTime(text) == nil)
  }

  @Test func `a series ends, and leaves out what was skipped`() {
    let first = Self.time("2026-12-01T17:30")
    var series = MissionSeries(
      repeats: .weekly, startsAt: first, until: Self.time("2026-12-22T17:30"),
      timeZone: "Europe/Berlin", skipped: [Self.time("2026-12-08T17:30")])
    #expect(series.start(after: first) == Self.time("2026-12-15T17:30"))
    #expect(series.start(after: Self.time("2026-12-15T17:30")) == Self.time("2026-12-22T17:30"))
    #expect(series.start(after: Self.time("2026-12-22T17:30")) == nil)
    series.until = series.until?.advanced(by: .seconds(-1))
    #expect(series.start(after: Self.time("2026-12-15T17:30")) == nil)
  }

  @Test func `an occurrence is over before the next begins, also where the clocks go forward`() {
    for repeats in MissionRepeat.allCases {
      let series = MissionSeries(
        repeats: repeats, startsAt: Self.time("2027-01-28T12:00"), timeZone: "Europe/Berlin")
      for number in 0..<100 {
        let gap = series.start(number: number + 1).since(series.start(number: number))
        #expect(gap >= repeats.longestOccurrence)
      }
    }
  }
}
