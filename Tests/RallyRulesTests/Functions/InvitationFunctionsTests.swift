import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

@Suite(.everyEngine) struct InvitationFunctionsTests {
  private func make(
    _ mission: UUID? = nil, uses: Int? = nil, lasting seconds: Int64? = nil, in world: ServerWorld,
    as member: Int = 0
  ) async throws -> InvitationRecord {
    try await world.result(
      of: CreateInvitation(
        missionID: mission, uses: uses,
        expiresAt: seconds.map { world.now.advanced(by: .seconds($0)) }), as: member)
  }

  private func accept(
    _ invitation: InvitationRecord, in world: ServerWorld, as member: Int
  ) async throws -> String? {
    try await world.refusal(of: AcceptInvitation(code: invitation.code), as: member)
  }

  private func areFriends(_ a: Int, _ b: Int, in world: ServerWorld) async throws -> Bool {
    try await world.result(of: FetchFriendshipStatus(userID: world.members[b].id), as: a)
      == .friends
  }

  // MARK: - Making

  @Test func `a code is good for one person and seven days where nothing is said`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let made = try await make(in: world)
    #expect(made.kind == .friendship)
    #expect(made.uses == 1)
    #expect(made.used == 0)
    #expect(made.expiresAt == world.now.advanced(by: .seconds(7 * 86_400)))
    #expect(made.link == "rally://invite/\(made.code.value)")
    world.wait(seconds: 1)
    let mission = try await world.create()
    let second = try await make(mission.id, uses: 20, lasting: 60, in: world)
    #expect(second.missionTitle == "Tiles")
    #expect(second.missionID == mission.id)
    #expect(second.code != made.code)
    #expect(try await world.result(of: FetchInvitations(), as: 0) == [second, made])
    #expect(try await world.result(of: FetchInvitations(limit: 1, offset: 1), as: 0) == [made])
    world.wait(seconds: 60)
    #expect(try await world.result(of: FetchInvitations(), as: 0) == [made])
  }

  @Test func `uses and ends that cannot be are refused`() async throws {
    let world = try await ServerWorld.withFriends(1)
    for (uses, seconds) in [(0, nil), (1001, nil), (nil, 0), (nil, 366 * 86_400 + 1)]
      as [(Int?, Int64?)]
    {
      let call = CreateInvitation(
        missionID: nil, uses: uses,
        expiresAt: seconds.map { world.now.advanced(by: .seconds($0)) })
      #expect(try await world.refusal(of: call, as: 0) == "invalid_argument")
    }
    for code in ["", "7QK2M", "7QK2M-X9PTU", "7QK2MX9PTFF"] {
      let answer = try await world.call(FetchAnyCode(code: code), as: 0)
      #expect(answer.contains("such as \(InvitationCode.example)"), "\(answer)")
    }
  }

  /// What is typed goes to the server as it is.
  private struct FetchAnyCode: RemoteFunction {
    typealias Output = InvitationOffer
    static let name = FetchInvitation.name
    var code: String
    enum CodingKeys: String, CodingKey, CaseIterable { case code = "p_code" }
  }

  // MARK: - What it gives

  @Test func `an offer says what it gives before it is accepted`() async throws {
    let world = try await ServerWorld.withFriends(1, strangers: 1)
    let mission = try await world.create(.sample(capacity: 5, visibility: .invited))
    let made = try await make(mission.id, in: world)
    let typed = made.code.description.lowercased()
    let offer = try await world.result(of: FetchAnyCode(code: " \(typed) "), as: 1)
    #expect(offer.kind == .mission)
    #expect(offer.inviter.username == "person_0")
    #expect(offer.mission?.title == "Tiles")
    #expect(offer.mission?.memberCount == 1)
    #expect(!offer.isAccepted)
    // Looking is not accepting.
    #expect(try await world.refusal(of: FetchMission(missionID: mission.id), as: 1) == "not_found")
    let friendship = try await make(in: world)
    let other = try await world.result(of: FetchInvitation(code: friendship.code), as: 1)
    #expect(other.kind == .friendship)
    #expect(other.mission == nil)
    #expect(try await accept(friendship, in: world, as: 1) == nil)
    #expect(try await world.result(of: FetchInvitation(code: friendship.code), as: 1).isAccepted)
  }

  @Test func `a friendship code makes both friends at once, whatever was asked before`()
    async throws
  {
    let world = try await ServerWorld.withFriends(1, strangers: 3)
    try await world.call(RequestFriend(userID: world.members[0].id), as: 2)
    try await world.call(RequestFriend(userID: world.members[3].id), as: 0)
    let mission = try await world.create()
    for guest in 1...3 {
      let made = try await make(in: world)
      let result = try await world.result(of: AcceptInvitation(code: made.code), as: guest)
      #expect(result.kind == .friendship)
      #expect(result.friend?.id == world.members[0].id)
      #expect(try await areFriends(0, guest, in: world))
      #expect(try await areFriends(guest, 0, in: world))
      // What is for friends is theirs at once.
      #expect(try await world.mission(mission.id, as: guest).myState == nil)
    }
    #expect(try await world.result(of: FetchFriendRequests(direction: .incoming), as: 0).isEmpty)
    #expect(try await world.result(of: FetchFriendRequests(direction: .outgoing), as: 0).isEmpty)
  }

  @Test func `a mission code joins, under the rules of joining`() async throws {
    let world = try await ServerWorld.withFriends(1, strangers: 4)
    let mission = try await world.create(.sample(capacity: 2, visibility: .invited))
    let made = try await make(mission.id, uses: 3, in: world)
    let result = try await world.result(of: AcceptInvitation(code: made.code), as: 1)
    #expect(result.mission?.myState == .joined)
    #expect(result.mission?.members.count == 2)
    #expect(try await accept(made, in: world, as: 2) == "mission_full")
    // Somebody who met a full mission has used nothing up.
    #expect(try await world.result(of: FetchInvitations(), as: 0).map(\.used) == [1])
    // A member who came by a code can make one; not a guest.
    #expect(
      try await world.refusal(of: CreateInvitation(missionID: mission.id), as: 2) == "not_found")
    let second = try await make(mission.id, in: world, as: 1)
    try await world.call(CancelMission(missionID: mission.id), as: 0)
    #expect(try await accept(second, in: world, as: 2) == "mission_over")
    #expect(
      try await world.refusal(of: FetchInvitation(code: second.code), as: 2) == "mission_over")
    #expect(try await world.result(of: FetchInvitations(), as: 1).isEmpty)
  }

  @Test func `its maker sees who accepted a code, but nobody who is hidden from them`() async throws
  {
    let world = try await ServerWorld.withFriends(1, strangers: 3)
    let made = try await make(uses: 3, in: world)
    for guest in 1...3 {
      #expect(try await accept(made, in: world, as: guest) == nil)
      world.wait(seconds: 1)
    }
    // It is used up, and listed only where that is asked for.
    #expect(try await world.result(of: FetchInvitations(), as: 0).isEmpty)
    let all = FetchInvitations(withUsedUp: true)
    #expect(
      try await world.result(of: all, as: 0).map(\.usedBy) == [
        ["person_1", "person_2", "person_3"]
      ])
    try await world.block(0, by: 2)
    #expect(
      try await world.result(of: all, as: 0).map(\.usedBy) == [["person_1", "person_3"]])
    #expect(try await world.result(of: all, as: 1).isEmpty)
    world.wait(seconds: 8 * 86_400)
    #expect(try await world.result(of: all, as: 0).isEmpty)
  }

  // MARK: - Ends

  @Test func `a code is over when its time or its uses are`() async throws {
    let world = try await ServerWorld.withFriends(1, strangers: 3)
    let twice = try await make(uses: 2, lasting: 60, in: world)
    #expect(try await accept(twice, in: world, as: 1) == nil)
    // Twice by the same person uses nothing up.
    #expect(try await accept(twice, in: world, as: 1) == nil)
    #expect(try await accept(twice, in: world, as: 2) == nil)
    #expect(try await accept(twice, in: world, as: 3) == "invitation_over")
    #expect(
      try await world.refusal(of: FetchInvitation(code: twice.code), as: 3) == "invitation_over")
    #expect(try await world.result(of: FetchInvitations(), as: 0).isEmpty)
    let short = try await make(uses: 9, lasting: 60, in: world)
    world.wait(seconds: 59)
    #expect(try await world.refusal(of: FetchInvitation(code: short.code), as: 3) == nil)
    world.wait(seconds: 1)
    #expect(try await accept(short, in: world, as: 3) == "invitation_over")
    // Who accepted it is told so even now.
    #expect(try await accept(twice, in: world, as: 1) == nil)
  }

  @Test func `a revoked, an unknown and a blocked one's code are answered alike`() async throws {
    let world = try await ServerWorld.withFriends(1, strangers: 3)
    let revoked = try await make(in: world)
    let reusable = try await make(uses: 5, in: world)
    try await world.call(RevokeInvitation(code: revoked.code), as: 0)
    try await world.block(1, by: 0)
    try await world.block(0, by: 2)
    let unknown = try InvitationCode("0000000000")
    func answers(_ code: InvitationCode, to member: Int) async throws -> [String] {
      [
        try await world.call(FetchInvitation(code: code), as: member),
        try await world.call(AcceptInvitation(code: code), as: member),
        try await world.call(RevokeInvitation(code: code), as: member),
      ]
    }
    let expected = try await answers(unknown, to: 3)
    #expect(expected.allSatisfy { $0.contains("not_found") })
    #expect(try await answers(revoked.code, to: 3) == expected)
    for member in [1, 2] {
      #expect(try await answers(reusable.code, to: member) == expected)
    }
    // Only its maker takes a code back.
    #expect(
      try await world.refusal(of: RevokeInvitation(code: reusable.code), as: 3) == "not_found")
    #expect(try await accept(reusable, in: world, as: 0) == "yourself")
    #expect(
      try await world.result(of: FetchInvitation(code: reusable.code), as: 0).kind == .friendship)
    #expect(try await accept(reusable, in: world, as: 3) == nil)
  }

  @Test func `a mission's code does not exist for whom its creator blocked`() async throws {
    let world = try await ServerWorld.withFriends(2, strangers: 1)
    let mission = try await world.create()
    try await world.join(mission.id, as: 1)
    let made = try await make(mission.id, in: world, as: 1)
    try await world.block(2, by: 0)
    #expect(try await accept(made, in: world, as: 2) == "not_found")
    #expect(try await world.refusal(of: FetchInvitation(code: made.code), as: 2) == "not_found")
  }

  @Test func `who leaves a mission takes their codes for it along`() async throws {
    let world = try await ServerWorld.withFriends(2, strangers: 1)
    let mission = try await world.create()
    try await world.join(mission.id, as: 1)
    let made = try await make(mission.id, in: world, as: 1)
    let own = try await make(in: world, as: 1)
    try await world.call(LeaveMission(missionID: mission.id), as: 1)
    #expect(try await accept(made, in: world, as: 2) == "not_found")
    #expect(try await world.result(of: FetchInvitations(), as: 1).map(\.code) == [own.code])
  }

  @Test func `nobody comes back through a code after a friendship ended`() async throws {
    let world = try await ServerWorld.withFriends(1, strangers: 1)
    let made = try await make(uses: 9, in: world)
    #expect(try await accept(made, in: world, as: 1) == nil)
    try await world.call(RemoveFriend(userID: world.members[1].id), as: 0)
    #expect(try await accept(made, in: world, as: 1) == "invitation_over")
    #expect(try await !areFriends(0, 1, in: world))
    // A mission that was left can be joined again, and uses nothing up.
    let mission = try await world.create(.sample(visibility: .invited))
    let code = try await make(mission.id, uses: 2, in: world)
    #expect(try await accept(code, in: world, as: 1) == nil)
    try await world.call(LeaveMission(missionID: mission.id), as: 1)
    #expect(try await accept(code, in: world, as: 1) == nil)
    #expect(try await world.mission(mission.id, as: 1).myState == .joined)
    #expect(try await world.result(of: FetchInvitations(), as: 0).map(\.used) == [1, 1])
  }

  @Test func `a repeated call has one effect and does not undo what came after`() async throws {
    let world = try await ServerWorld.withFriends(1, strangers: 1)
    let create = FunctionCall(CreateInvitation(missionID: nil, uses: 2), clientID: UUID())
    let made = try await world.result(of: create, as: 0)
    #expect(try await world.result(of: create, as: 0) == made)
    #expect(try await world.result(of: FetchInvitations(), as: 0).count == 1)
    let accept = FunctionCall(AcceptInvitation(code: made.code), clientID: UUID())
    let first = try await world.result(of: accept, as: 1)
    #expect(try await world.result(of: accept, as: 1) == first)
    try await world.call(RemoveFriend(userID: world.members[0].id), as: 1)
    #expect(try await world.refusal(of: accept, as: 1) == "not_found")
    #expect(try await !areFriends(0, 1, in: world))
  }
}
