import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem
@testable import RallyWords

@Suite struct MissionFormatterTests {
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

  @Test func `a series is said in words, by the clocks of its maker`() throws {
    func sentence(_ series: MissionSeries, in zone: LocalTimeZone = Self.berlin) -> String {
      RepeatSentence.text(series, in: zone)
    }
    #expect(sentence(series(.daily)) == "every day 18:30")
    #expect(sentence(series(.weekly)) == "every Tuesday 18:30")
    #expect(sentence(series(.fortnightly)) == "every two weeks on Tuesday 18:30")
    #expect(sentence(series(.monthly)) == "monthly on the 1st 18:30")
    let last = try #require(WireTime("2026-12-31T17:30:00Z"))
    #expect(sentence(series(.monthly, from: last)) == "monthly on the 31st 18:30")
    let short = try #require(WireTime("2027-02-28T17:30:00Z"))
    #expect(
      sentence(series(.monthly, from: last).beginning(at: short)) == "monthly on the 31st 18:30")
    #expect(
      sentence(series(.weekly, until: "2026-12-22T22:59:59Z"))
        == "every Tuesday 18:30 until 2026-12-22")
    let lisbon = try #require(LocalTimeZone(identifier: "Europe/Lisbon"))
    #expect(sentence(series(.weekly), in: lisbon) == "every Tuesday 18:30 in Europe/Berlin")
    // Whose clocks always show the same needs no zone.
    let paris = try #require(LocalTimeZone(identifier: "Europe/Paris"))
    #expect(sentence(series(.weekly), in: paris) == "every Tuesday 18:30")
  }
}
