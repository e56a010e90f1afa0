import FoundationEssentials
import Testing

@testable import RallyWire

/// Files of missions, read again as a calendar program reads them.
@Suite struct MissionCalendarTests {
  private static let now = WireTime("2026-11-23T12:00:00Z")!
  private static let start = WireTime("2026-12-01T17:30:00.5Z")!

  private static func mission(
    _ title: String = "Run", brief: String = "", starts: WireTime = start,
    endsAt: WireTime? = nil, series: MissionSeries? = nil, state: MissionState = .open,
    myState: MissionMembership? = .joined, objectives: [ObjectiveRecord] = []
  ) -> MissionRecord {
    var fields = MissionFields(
      title: title, brief: brief, centre: Coordinate(latitude: 38.7120001, longitude: -9.13)!,
      radiusMetres: 100, startsAt: starts, endsAt: endsAt)
    fields.series = series
    var record = MissionRecord(
      id: UUID(uuidString: "00000000-0000-0000-0000-000000000001")!, creatorID: nil,
      fields: fields, createdAt: now, version: 7, objectives: objectives,
      members: [
        MissionMemberRecord(
          userID: UUID(), username: "ana", displayName: "Ana Example", state: .joined,
          joinedAt: now)
      ])
    record.state = state
    record.myState = myState
    return record
  }

  private static func series(
    _ repeats: MissionRepeat, _ zone: String, from start: WireTime = start, until: WireTime? = nil,
    skipped: [WireTime] = []
  ) -> MissionSeries {
    MissionSeries(
      repeats: repeats, startsAt: start, until: until, timeZone: zone, skipped: skipped)
  }

  private func read(_ missions: [MissionRecord]) throws -> CalendarReader {
    try CalendarReader(MissionCalendar(missions, now: Self.now).text)
  }

  @Test func `a mission is one event, in UTC, with nobody in it`() throws {
    let text = MissionCalendar(
      [
        Self.mission(
          "Doors, lanterns; more\\", brief: "One.",
          endsAt: Self.start.advanced(by: .seconds(3600)),
          objectives: [
            ObjectiveRecord(
              id: UUID(), title: "Cats", place: nil, radiusMetres: nil, count: 9, checkIns: 0,
              lastBy: nil, lastAt: nil)
          ])
      ], now: Self.now
    ).text
    #expect(
      text
        == """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//Rally//Rally//EN
        CALSCALE:GREGORIAN
        NAME:Rally
        X-WR-CALNAME:Rally
        REFRESH-INTERVAL;VALUE=DURATION:PT1H
        BEGIN:VEVENT
        UID:00000000-0000-0000-0000-000000000001@rally
        DTSTAMP:20261123T120000Z
        CREATED:20261123T120000Z
        SEQUENCE:7
        DTSTART:20261201T173000Z
        DTEND:20261201T183000Z
        SUMMARY:Doors\\, lanterns\\; more\\\\
        DESCRIPTION:One.\\n- Cats x9
        LOCATION:38.7120\\, -9.1300
        GEO:38.712000;-9.130000
        STATUS:CONFIRMED
        URL:rally://mission/00000000-0000-0000-0000-000000000001
        END:VEVENT
        END:VCALENDAR

        """.replacing("\n", with: "\r\n"))
    #expect(!text.contains("ana") && !text.contains("Ana"))
    #expect(!text.contains("ATTENDEE") && !text.contains("ORGANIZER"))
  }

  @Test func `what a mission is follows from its state and from mine`() throws {
    let events = try read([
      Self.mission(), Self.mission(state: .completed), Self.mission(state: .cancelled),
      Self.mission(myState: .invited),
    ]).events
    #expect(
      events.map { $0["STATUS"] } == ["CONFIRMED", "CONFIRMED", "CANCELLED", "TENTATIVE"])
    #expect(events.allSatisfy { $0["DTEND"] == nil })
  }

  @Test(
    arguments: [
      "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Jerusalem",
      "Asia/Kathmandu",
      "UTC",
    ], MissionRepeat.allCases)
  func `a calendar program finds the same occurrences`(
    zone: String, repeats: MissionRepeat
  ) throws {
    // On a 31st, and at a time that no zone here skips.
    let wall = WireTime("2026-08-31T19:45:00Z")!
    let start = try #require(LocalTimeZone(identifier: zone)).time(ofLocal: wall)
    let series = Self.series(repeats, zone, from: start)
    let reader = try read([
      Self.mission(
        starts: series.start(number: 3),
        endsAt: series.start(number: 3).advanced(by: .seconds(5400)), series: series)
    ])
    let event = reader.events[0]
    let expected = (0..<100).map(series.start(number:))
    #expect(try reader.starts(of: event, limit: 100) == expected)
    #expect(event["DURATION"] == "PT1H30M")
    #expect(event["DTEND"] == nil)
    #expect(reader.root.all("VTIMEZONE").count == (zone == "UTC" ? 0 : 1))
  }

  @Test func `the end of a series and what is left out are in its rule`() throws {
    let zone = "Europe/Berlin"
    let whole = Self.series(.weekly, zone)
    let series = Self.series(
      .weekly, zone, until: whole.start(number: 4), skipped: [whole.start(number: 2)])
    let reader = try read([Self.mission(series: series), Self.mission(series: series)])
    let event = reader.events[0]
    #expect(try reader.starts(of: event, limit: 9).count == 5)
    #expect(
      try reader.times("EXDATE", of: event)
        == [whole.start(number: 2).advanced(by: .milliseconds(-500))])
    #expect(reader.root.all("VTIMEZONE").count == 1)
  }

  /// A local time of its end would be the first 2:30, an hour earlier.
  @Test func `a series that first ends in the hour that comes twice has its length`() throws {
    let start = try #require(WireTime("2027-10-30T21:00:00Z"))
    let event = try read([
      Self.mission(
        starts: start, endsAt: start.advanced(by: .seconds(4 * 3600 + 1800)),
        series: Self.series(.weekly, "Europe/Berlin", from: start))
    ]).events[0]
    #expect(event["DTSTART"] == "20271030T230000")
    #expect(event["DURATION"] == "PT4H30M")
  }

  @Test(arguments: [
    (0, "PT0S"), (45, "PT45S"), (3600, "PT1H"), (3605, "PT1H0M5S"), (90_000, "PT25H"),
    (5430, "PT1H30M30S"),
  ])
  func `a length is written as exact time`(seconds: Int, text: String) {
    #expect(CalendarText.duration(.seconds(seconds)) == text)
  }

  @Test func `a series that begins beside its day or time is written with them`() throws {
    let zone = "Europe/Berlin"
    let month = Self.series(.monthly, zone, from: WireTime("2027-01-31T17:00:00Z")!)
      .beginning(at: WireTime("2027-02-28T17:00:00Z")!)
    let night = Self.series(.daily, zone, from: WireTime("2027-03-20T01:30:00Z")!)
      .beginning(at: WireTime("2027-03-28T01:30:00Z")!)
    let events = try read([month, night].map { Self.mission(starts: $0.startsAt, series: $0) })
      .events
    #expect(events[0]["DTSTART"] == "20270228T180000")
    #expect(events[0]["RRULE"] == "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1")
    // Section 3.3.5: a time that the clocks skip is meant by those before, which is 3:30 there.
    #expect(events[1]["DTSTART"] == "20270328T023000")
  }

  @Test func `a cancelled series keeps what has been`() throws {
    let series = Self.series(.weekly, "Europe/Berlin")
    let reader = try read([
      Self.mission(starts: series.start(number: 3), series: series, state: .cancelled),
      Self.mission(series: series, state: .cancelled),
    ])
    #expect(reader.events.map { $0["STATUS"] } == ["CONFIRMED", "CANCELLED"])
    #expect(try reader.starts(of: reader.events[0], limit: 9).count == 3)
  }

  @Test(arguments: [
    "END:VEVENT\r\nBEGIN:VALARM", "a\nb\u{85}c\u{2028}d", "\u{1B}]0;x\u{7}\u{0}", "\\n;,:\"",
    String(repeating: "café 🦊 ", count: 60), "\u{202E}txt.exe",
    String(repeating: "e\u{301}", count: 90),
  ])
  func `other people's text stays in its value`(text: String) throws {
    // As it comes from a server, and without what cleaning it would do.
    var mission = Self.mission(brief: text)
    mission.fields.title = text
    let reader = try read([mission])
    #expect(reader.root.children.map(\.name) == ["VEVENT"])
    #expect(reader.events[0].children.isEmpty)
    let kept = CalendarReader.unescaped(reader.events[0]["SUMMARY"] ?? "")
    #expect(
      kept
        == String(
          String.UnicodeScalarView(
            mission.title.unicodeScalars.filter {
              $0 == "\n" || $0.properties.generalCategory != .control
            })))
  }

  @Test func `long lines are folded at 75 octets and no character is torn`() {
    let title = String(repeating: "café 🦊 ", count: 40)
    let folded = CalendarText.folded("SUMMARY:\(title)")
    let lines = folded.split(separator: "\r\n")
    #expect(lines.count > 3)
    #expect(lines.allSatisfy { $0.utf8.count <= 75 })
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(" ") })
    #expect(folded.replacing("\r\n ", with: "") == "SUMMARY:\(title)")
    #expect(CalendarText.folded(String(repeating: "a", count: 75)).utf8.count == 75)
  }

  @Test func `a link names a mission, and nothing else does`() {
    let id = UUID()
    #expect(MissionLink(MissionLink(id: id).description)?.id == id)
    for text in ["rally://mission/", "rally://mission/x", "rally://invite/\(id)", ""] {
      #expect(MissionLink(text) == nil)
    }
  }
}
