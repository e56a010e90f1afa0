import Foundation
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct MissionExportTests {
  @Test func `a series is imported as it goes on`() throws {
    var mission = MissionSamples.record("Run", endsAt: WireTime("2026-05-01T19:00:00.5Z"))
    mission.fields.series = MissionSeries(
      repeats: .weekly, startsAt: mission.startsAt, until: WireTime("2026-12-31T22:59:59Z"),
      timeZone: "Europe/Berlin")
    mission.fields.isLive = true
    let text = try MissionGeoJSON.text([mission])
    let call = try #require(MissionSamples.preview(text).missions.first)
    #expect(call.startsAt == mission.startsAt && call.endsAt == mission.endsAt)
    #expect(call.repeats == .weekly && call.repeatUntil == mission.series?.until)
    #expect(call.timeZone == "Europe/Berlin")
    #expect(call.isLive == true)
    // Two weeks and an hour later the third one runs.
    let later = mission.startsAt.advanced(by: .seconds(14 * 86_400 + 1800))
    let next = MissionFile.preview(Data(text.utf8), name: "x", now: later)
    #expect(
      next.missions.map(\.startsAt) == [mission.startsAt.advanced(by: .seconds(14 * 86_400))])
    let over = try #require(WireTime("2027-01-01T00:00:00Z"))
    #expect(
      MissionFile.preview(Data(text.utf8), name: "x", now: over).problems.map(\.sentence)
        == ["The end lies in the past."])
  }

  /// A series whose current occurrence is beside its day of the month or its time of day.
  @Test(arguments: [
    (MissionRepeat.monthly, "2026-07-31T16:00:00Z", "2026-09-30T16:00:00Z", "2026-10-31T17:00:00Z"),
    (.daily, "2027-03-20T01:30:00Z", "2027-03-28T01:30:00Z", "2027-03-29T00:30:00Z"),
  ])
  func `a series keeps its day and its time through a file`(
    repeats: MissionRepeat, first: String, current: String, next: String
  ) throws {
    let start = try #require(WireTime(current))
    var mission = MissionSamples.record("Run", endsAt: start.advanced(by: .seconds(3600)))
    mission.fields.startsAt = start
    mission.fields.series = MissionSeries(
      repeats: repeats, startsAt: try #require(WireTime(first)), timeZone: "Europe/Berlin")
    let text = try MissionGeoJSON.text([mission])
    func imported(_ now: WireTime) throws -> MissionSeries {
      let call = try #require(
        MissionFile.preview(Data(text.utf8), name: "x", now: now).missions.first)
      return MissionSeries(
        repeats: repeats, startsAt: try #require(call.startsAt), monthDay: call.monthDay,
        timeOfDay: call.timeOfDay, timeZone: "Europe/Berlin")
    }
    let same = try imported(MissionSamples.now)
    #expect(same.startsAt == start && same.isConsistent)
    #expect(same.start(after: start) == WireTime(next))
    // From a file that is years old, too.
    for days in [200, 300, 400, 430, 800] {
      let now = start.advanced(by: .seconds(days * 86_400))
      let late = try imported(now)
      #expect(late.start(after: now) == mission.series?.start(after: now))
      for number in 1...12 {
        #expect(
          late.start(number: number)
            == mission.series?.start(after: late.start(number: number - 1)))
      }
    }
  }

  /// As files are written by hand: the first occurrence alone.
  @Test func `a file of a past 31st makes a series of the 31st`() throws {
    let text = """
      {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-9.13, 38.712]},
       "properties": {"title": "Run", "starts_at": "2026-01-31T18:00:00Z", "repeat": "monthly",
       "ends_at": "2026-01-31T19:00:00Z", "time_zone": "UTC"}}
      """
    let now = try #require(WireTime("2026-02-10T12:00:00Z"))
    let call = try #require(
      MissionFile.preview(Data(text.utf8), name: "x", now: now).missions.first)
    #expect(call.startsAt == WireTime("2026-02-28T18:00:00Z"))
    #expect(call.monthDay == 31)
  }

  @Test(arguments: [
    (#""repeat": "hourly""#, "repeat is daily"), (#""repeat": "weekly""#, "needs ends_at"),
    (#""repeat": "daily", "ends_at": "2026-05-03T12:00:00Z""#, "before the next one begins"),
    (#""repeat_until": "2026-06-03T12:00:00Z""#, "needs repeat beside it"),
    (
      #""repeat": "monthly", "ends_at": "2026-05-01T14:00:00Z", "repeat_day": 31"#,
      "are those of starts_at"
    ), (#""repeat_time": "half past two""#, "a time such as 02:30"),
    (
      #""repeat": "daily", "time_zone": "../x", "ends_at": "2026-05-01T14:00:00Z""#,
      "Europe/Lisbon"
    ),
  ])
  func `what cannot repeat is told by its line`(properties: String, says: String) {
    let preview = MissionSamples.preview(
      """
      {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-9.13, 38.712]},
       "properties": {"title": "Run", \(properties)}}
      """)
    #expect(preview.missions.isEmpty)
    #expect(preview.problems.contains { $0.line == 2 && $0.sentence.contains(says) })
  }

  @Test func `an export is imported as the same missions`() throws {
    let place = Coordinate(latitude: 38.7125001, longitude: -9.1311)
    let end = try #require(WireTime("2026-05-02T00:00:00.123456Z"))
    let missions = [
      MissionSamples.record(
        "Lanterns \"of\" \\ Alfama 🦊", brief: "Find; the, doors.", radius: 1234.5, endsAt: end,
        capacity: 6,
        objectives: [
          ObjectiveRecord(
            id: UUID(), title: "Blue door", place: place, radiusMetres: 50, count: 3, checkIns: 2,
            lastBy: nil, lastAt: nil),
          ObjectiveRecord(
            id: UUID(), title: "Say hello", place: nil, radiusMetres: nil, count: 1, checkIns: 1,
            lastBy: nil, lastAt: nil),
        ]),
      MissionSamples.record("Fog run", id: 2),
    ]
    let preview = MissionSamples.preview(try MissionGeoJSON.text(missions))
    #expect(preview.problems == [])
    let calls = missions.map { mission in
      var call = CreateMission(
        title: mission.title, centre: mission.centre!, radiusMetres: mission.radiusMetres,
        startsAt: mission.startsAt, endsAt: mission.endsAt, capacity: mission.capacity,
        visibility: mission.visibility,
        objectives: mission.objectives.isEmpty
          ? nil
          : mission.objectives.map {
            ObjectiveInput(
              title: $0.title, place: $0.ownPlace, radiusMetres: $0.radiusMetres,
              count: $0.count == 1 ? nil : $0.count)
          })
      call.brief = mission.brief.isEmpty ? nil : mission.brief
      return call
    }
    #expect(preview.missions == calls)
  }

  @Test func `an export tells nothing of the people`() throws {
    var mission = MissionSamples.record("Fog run")
    mission.members = [
      MissionMemberRecord(
        userID: UUID(), username: "ana", displayName: "Ana", state: .joined, joinedAt: .now)
    ]
    let text = try MissionGeoJSON.text([mission])
    #expect(!text.contains("ana"))
    #expect(!text.lowercased().contains("member"))
  }
}
