import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

@Suite(.everyEngine) struct InvitationRecordsTests {
  @Test func `an invitation is forgotten a month after its end`() async throws {
    let now = WireTime("2026-08-01T12:00:00Z")!
    let world = try await ServerWorld(members: 2, at: now)
    let (maker, guest) = (world.members[0].caller.userID, world.members[1].caller.userID)
    let day: Int64 = 86_400
    let left = try await world.storage.write { database in
      for (number, seconds) in [-7 * day, 1, 29 * day, 31 * day].enumerated() {
        let code = try InvitationCode("7QK2M-X9PT\(number)")
        try InvitationRecords.insert(
          StoredInvitation(
            code: code, maker: maker, mission: nil, uses: 2,
            expiresAt: now.advanced(by: .seconds(-seconds)),
            createdAt: now.advanced(by: .seconds(-60 * day))), in: database)
        try InvitationRecords.use(code, by: guest, at: now, in: database)
      }
      try InvitationRecords.trim(at: now, in: database)
      return try ["invitations", "invitation_uses"].map { table in
        try String.fetchAll(database, sql: "SELECT code FROM \(table) ORDER BY code")
      }
    }
    let kept = ["7QK2MX9PT0", "7QK2MX9PT1", "7QK2MX9PT2"]
    #expect(left == [kept, kept])
  }
}
