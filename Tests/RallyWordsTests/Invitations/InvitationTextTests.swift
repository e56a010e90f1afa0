import Foundation
import RallyWire
import RallyWords
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct InvitationTextTests {
  private let now = WireTime("2026-05-01T12:00:00Z") ?? .now

  private func invitation(
    mission: String? = nil, uses: Int?, used: Int, expiresAt: WireTime? = nil
  ) throws -> InvitationRecord {
    InvitationRecord(
      code: try InvitationCode("7QK2MX9PTF"), missionID: mission.map { _ in UUID() },
      missionTitle: mission, uses: uses, used: used, expiresAt: expiresAt, createdAt: now)
  }

  @Test func `a code of mine says what it gives, how often and until when`() throws {
    let end = WireTime("2026-05-08T12:00:00Z")
    #expect(
      InvitationText.sentence(on: try invitation(uses: 1, used: 0, expiresAt: end))
        == "Whoever accepts it becomes your friend: 1 use, until 8 May 2026.")
    #expect(
      InvitationText.sentence(on: try invitation(mission: "Fog run", uses: 5, used: 2))
        == "Whoever accepts it joins Fog run: used 2 of 5.")
    #expect(InvitationText.uses(of: try invitation(uses: nil, used: 0)) == "any number of uses")
    #expect(InvitationText.uses(of: try invitation(uses: 3, used: 0)) == "3 uses")
  }

  @Test func `an offer says all that accepting means`() throws {
    let ana = ProfileRecord(
      id: UUID(), username: "ana", displayName: "Ana Pereira", bio: "", version: 1, createdAt: now)
    let code = try InvitationCode("7QK2MX9PTF")
    let friendship = InvitationOffer(
      code: code, inviter: ana, mission: nil, expiresAt: nil, isAccepted: false)
    let lines = InvitationText.lines(on: friendship, at: now)
    #expect(lines.first == "Ana Pereira (@ana) invites you to be friends.")
    #expect(lines.last?.contains("only if you share it") == true)

    var fields = MissionFields(
      title: "Fog run", brief: "Run.",
      centre: try #require(Coordinate(latitude: 38.712, longitude: -9.13)), radiusMetres: 100,
      startsAt: try #require(WireTime("2026-05-02T06:00:00Z")),
      endsAt: WireTime("2026-05-02T08:00:00Z"))
    fields.capacity = 6
    let record = MissionRecord(
      id: UUID(), creatorID: ana.id, fields: fields, createdAt: now, memberCount: 1)
    let mission = InvitationOffer(
      code: code, inviter: ana, mission: .init(record), expiresAt: nil, isAccepted: false)
    #expect(
      InvitationText.lines(on: mission, at: now) == [
        "Ana Pereira (@ana) invites you to Fog run.", "Run.", "At 38.7120, -9.1300.",
        "It starts on 2 May 2026, 06:00 UTC.", "It ends on 2 May 2026, 08:00 UTC.",
        "1 of 6 is in it.",
      ])
  }
}
