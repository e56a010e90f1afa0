import Foundation
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct MissionExportTests {
  @Test func `a series is imported as it goes on`() throws {
    var mission = MissionSamples.record("Run", endsAt: WireTime("2026-05-01T19:00:00.5Z"))
    mission.series = MissionSeries(
      repeats: .weekly, startsAt: mission.startsAt, until: WireTime("2026-12-31T22:59:59Z"),
      timeZone: "Europe/Berlin")
    mission.isLive = true
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

  @Test(arguments: [
    (#""repeat": "hourly""#, "repeat is daily"), (#""repeat": "weekly""#, "needs ends_at"),
    (#""repeat": "daily", "ends_at": "2026-05-03T12:00:00Z""#, "before the next one begins"),
    (#""repeat_until": "2026-06-03T12:00:00Z""#, "needs repeat beside it"),
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
      CreateMission(
        title: mission.title, brief: mission.brief.isEmpty ? nil : mission.brief,
        centre: mission.centre!, radiusMetres: mission.radiusMetres, startsAt: mission.startsAt,
        endsAt: mission.endsAt, capacity: mission.capacity, visibility: mission.visibility,
        objectives: mission.objectives.isEmpty
          ? nil
          : mission.objectives.map {
            ObjectiveInput(
              title: $0.title, place: $0.ownPlace, radiusMetres: $0.radiusMetres,
              count: $0.count == 1 ? nil : $0.count)
          })
    }
    let imported = preview.missions.map { call in
      var call = call
      call.clientID = nil
      return call
    }
    #expect(try imported.map(WireJSON.text) == calls.map(WireJSON.text))
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
