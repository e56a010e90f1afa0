import Foundation
import RallyWire
import Testing

@testable import RallyDomain

@Suite struct MissionExportTests {
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

  @Test func `times are a calendar that RFC 5545 describes`() throws {
    let end = try #require(WireTime("2026-05-01T20:00:00Z"))
    let text = MissionCalendar.text(
      [
        MissionSamples.record(
          "Doors, lanterns; more\\", brief: "One.", endsAt: end,
          objectives: [
            ObjectiveRecord(
              id: UUID(), title: "Cats", place: nil, radiusMetres: nil, count: 9, checkIns: 0,
              lastBy: nil, lastAt: nil)
          ]),
        MissionSamples.record("Off", id: 2, state: .cancelled),
        MissionSamples.record("Asked", id: 3, myState: .invited),
      ], now: MissionSamples.now)
    #expect(text.hasPrefix("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:"))
    #expect(text.hasSuffix("END:VCALENDAR\r\n"))
    let lines = text.components(separatedBy: "\r\n")
    let first = try #require(lines.firstIndex(of: "BEGIN:VEVENT"))
    #expect(
      Array(lines[first..<first + 13]) == [
        "BEGIN:VEVENT", "UID:00000000-0000-0000-0000-000000000001@rally",
        "DTSTAMP:20260501T120000Z", "CREATED:20260501T120000Z", "SEQUENCE:7",
        "DTSTART:20260501T180000Z", "DTEND:20260501T200000Z",
        #"SUMMARY:Doors\, lanterns\; more\\"#, #"DESCRIPTION:One.\n- Cats x9"#,
        #"LOCATION:38.7120\, -9.1300"#, "GEO:38.712000;-9.130001", "STATUS:CONFIRMED",
        "END:VEVENT",
      ])
    #expect(
      lines.filter { $0.hasPrefix("STATUS:") } == [
        "STATUS:CONFIRMED", "STATUS:CANCELLED", "STATUS:TENTATIVE",
      ])
    #expect(!text.replacing("\r\n", with: "").contains { $0.isNewline })
  }

  @Test func `long lines are folded at 75 octets and no character is torn`() {
    let title = String(repeating: "café 🦊 ", count: 40)
    let folded = MissionCalendar.folded("SUMMARY:\(title)")
    let lines = folded.components(separatedBy: "\r\n")
    #expect(lines.count > 3)
    #expect(lines.allSatisfy { $0.utf8.count <= 75 })
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(" ") })
    #expect(folded.replacing("\r\n ", with: "") == "SUMMARY:\(title)")
    #expect(MissionCalendar.folded(String(repeating: "a", count: 75)).utf8.count == 75)
  }
}
