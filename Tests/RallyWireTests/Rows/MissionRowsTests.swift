import Foundation
import RallyText
import RallyWire
import Testing

@Suite struct MissionRowsTests {
  private static let noon = WireTime("2026-08-01T12:00:00Z")!
  private static let lisbon = Coordinate(latitude: 38.7223, longitude: -9.1393)!
  private static let porto = Coordinate(latitude: 41.1496, longitude: -8.6109)!

  private func objective(
    count: Int = 1, checkIns: Int = 0, place: Coordinate? = nil, radius: Double? = nil
  ) -> ObjectiveRecord {
    ObjectiveRecord(
      id: UUID(), title: "Door", place: place, radiusMetres: radius, count: count,
      checkIns: checkIns, lastBy: nil, lastAt: nil)
  }

  private func mission(
    starts: Int64 = 0, ends: Int64? = nil, state: MissionState = .open,
    objectives: [ObjectiveRecord] = []
  ) -> MissionRecord {
    var record = MissionRecord(
      id: UUID(), creatorID: nil,
      fields: MissionFields(
        title: "Tiles", centre: Self.lisbon, radiusMetres: 300,
        startsAt: Self.noon.advanced(by: .seconds(starts)),
        endsAt: ends.map { Self.noon.advanced(by: .seconds($0)) }),
      createdAt: Self.noon, objectives: objectives, memberCount: 1)
    record.state = state
    record.myState = .joined
    return record
  }

  @Test func `the clock moves an open mission on, and no other`() {
    #expect(mission(starts: 1).phase(at: Self.noon) == .upcoming)
    #expect(mission(starts: 0, ends: 1).phase(at: Self.noon) == .active)
    #expect(mission(starts: -9, ends: 0).phase(at: Self.noon) == .ended)
    #expect(mission(starts: -9).phase(at: Self.noon) == .active)
    for (state, phase) in [
      (MissionState.completed, MissionPhase.completed), (.cancelled, .cancelled),
    ] {
      #expect(mission(starts: 5, state: state).phase(at: Self.noon) == phase)
      #expect(mission(starts: -9, ends: -1, state: state).phase(at: Self.noon) == phase)
    }
  }

  @Test func `progress counts no more than was asked for`() {
    let mission = mission(objectives: [
      objective(count: 20, checkIns: 9), objective(checkIns: 3), objective(),
    ])
    #expect(mission.progress == (10, 22))
    #expect(mission.objectives.map(\.isDone) == [false, true, false])
    #expect(self.mission().progress == (0, 0))
  }

  @Test func `an objective is done at its own place, or at the mission's`() throws {
    let mission = mission()
    func place(_ objective: ObjectiveRecord) throws -> (Coordinate, Double) {
      let place = try #require(mission.place(of: objective))
      return (place.centre, place.radiusMetres)
    }
    #expect(try place(objective()) == (Self.lisbon, 300))
    #expect(try place(objective(place: Self.porto, radius: 50)) == (Self.porto, 50))
    #expect(try place(objective(place: Self.porto)) == (Self.porto, 300))
    // A radius without a place means nothing.
    #expect(try place(objective(radius: 50)) == (Self.lisbon, 300))
  }

  @Test func `rows survive the way there and back`() throws {
    let row = mission(
      ends: 60, objectives: [objective(count: 3, checkIns: 1, place: Self.porto, radius: 50)])
    #expect(try WireJSON.decode(MissionRecord.self, from: WireJSON.encode(row)) == row)
    let line = MissionActivityRecord(
      id: UUID(), missionID: row.id, missionTitle: "Tiles", kind: .checkedIn, userID: UUID(),
      username: "ana", displayName: "Ana", objectiveID: row.objectives[0].id,
      objectiveTitle: "Door", createdAt: Self.noon)
    let json = try JSONValue(encoding: line)
    #expect(json["kind"] == "checked_in")
    #expect(try json.decoded(as: MissionActivityRecord.self) == line)
  }

  @Test func `a mission's fields stand beside the rest of its row`() throws {
    var row = mission(ends: 60)
    row.fields.brief = "Find them."
    row.fields.series = MissionSeries(
      repeats: .weekly, startsAt: Self.noon, timeZone: "Europe/Lisbon")
    row.fields.capacity = 5
    row.fields.visibility = .friends
    row.fields.isLive = true
    row.closedAt = Self.noon
    let id = row.id.wireText
    let json = #"""
      {"brief":"Find them.","capacity":5,"closed_at":"2026-08-01T12:00:00.000000+00:00",\#
      "created_at":"2026-08-01T12:00:00.000000+00:00",\#
      "ends_at":"2026-08-01T12:01:00.000000+00:00","id":"\#(id)","is_full":false,\#
      "is_live":true,"latitude":38.7223,"longitude":-9.1393,"member_count":1,"members":[],\#
      "my_state":"joined","objectives":[],"radius_m":300,"series":{"repeats":"weekly",\#
      "skipped":[],"starts_at":"2026-08-01T12:00:00.000000+00:00","time_zone":"Europe/Lisbon"},\#
      "starts_at":"2026-08-01T12:00:00.000000+00:00","state":"open","title":"Tiles",\#
      "version":1,"visibility":"friends"}
      """#
    #expect(try WireJSON.text(row) == json)
    #expect(try WireJSON.decode(MissionRecord.self, from: Data(json.utf8)) == row)
  }

  @Test func `an invitation is open while it has uses and time left`() throws {
    func isOpen(uses: Int?, used: Int, ends: Int64?) throws -> Bool {
      InvitationRecord(
        code: try InvitationCode("7QK2MX9PTF"), missionID: nil, missionTitle: nil, uses: uses,
        used: used, expiresAt: ends.map { Self.noon.advanced(by: .seconds($0)) },
        createdAt: Self.noon
      ).isOpen(at: Self.noon)
    }
    #expect(try isOpen(uses: 1, used: 0, ends: 1))
    #expect(try isOpen(uses: nil, used: 900, ends: nil))
    #expect(try !isOpen(uses: 1, used: 1, ends: 1))
    #expect(try !isOpen(uses: 1, used: 0, ends: 0))
  }
}
