import Foundation
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// How much people and missions may have, as a client meets it. An account of today has a third.
@Suite(.everyEngine, .acrossNodes) struct RowBudgetTests {
  private func mission(_ title: String) -> CreateMission {
    CreateMission(
      title: title, centre: .lisbon, radiusMetres: 100,
      visibility: .friends)
  }

  private func expectRefusal(
    _ reply: RawClient.Reply, _ budget: Budget, _ reason: FailureReason = .budgetReached,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(reply.status == 400, sourceLocation: sourceLocation)
    #expect(reply.json["hint"] == .string(reason.rawValue), sourceLocation: sourceLocation)
    #expect(
      reply.json["details"] == .string("budget=\(budget.rawValue)"),
      sourceLocation: sourceLocation)
    #expect(
      reply.json["message"]?.string?.hasSuffix(".") == true, sourceLocation: sourceLocation)
  }

  @Test func `open missions have a budget, and one that is over makes room`() async throws {
    try await TestServer.with(configure: { $0.budgets[.openMissionsPerPerson] = 6 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let first = try await ana.result(of: mission("One"))
      _ = try await ana.result(of: mission("Two"))
      expectRefusal(try await ana.client.call(mission("Three")), .openMissionsPerPerson)
      #expect(try await ana.result(of: FetchMissions(scope: .active)).count == 2)
      _ = try await ana.result(of: CancelMission(missionID: first.id))
      #expect(try await ana.client.call(mission("Three")).status == 200)
    }
  }

  @Test func `a mission has a budget of lines, and stays readable`() async throws {
    try await TestServer.with(configure: { $0.budgets[.messagesPerMission] = 3 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let made = try await ana.result(of: mission("One"))
      for _ in 0..<2 { _ = try await ana.result(of: SayInMission(missionID: made.id, text: "Hi")) }
      expectRefusal(
        try await ana.client.call(SayInMission(missionID: made.id, text: "Hi")),
        .messagesPerMission)
      let lines = try await ana.result(of: FetchMissionActivity(missionID: made.id))
      #expect(lines.count == 3)
    }
  }

  @Test func `a mission has a budget of people, joining or asked`() async throws {
    try await TestServer.with(configure: { $0.budgets[.membersPerMission] = 2 }) { server in
      let (ana, ben, cleo) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("ben", on: server),
        try await Person.signUp("cleo", on: server)
      )
      for friend in [ben, cleo] { try await ana.befriend(friend) }
      let made = try await ana.result(of: mission("One"))
      #expect(try await ben.client.call(JoinMission(missionID: made.id)).status == 200)
      // Whoever is in it is not one more.
      #expect(try await ben.client.call(JoinMission(missionID: made.id)).status == 200)
      expectRefusal(
        try await cleo.client.call(JoinMission(missionID: made.id)), .membersPerMission)
      expectRefusal(
        try await ana.client.call(InviteToMission(missionID: made.id, userIDs: [cleo.id])),
        .membersPerMission)
      let code = try await ana.result(of: CreateInvitation(missionID: made.id)).code
      expectRefusal(
        try await cleo.client.call(AcceptInvitation(code: code)), .membersPerMission)
    }
  }

  @Test func `friends, requests, codes and blocks have budgets`() async throws {
    try await TestServer.with(configure: {
      $0.budgets[.friendsPerPerson] = 3
      $0.budgets[.openRequestsPerPerson] = 3
      $0.budgets[.openInvitationsPerPerson] = 3
      $0.budgets[.blocksPerPerson] = 3
    }) { server in
      let (ana, ben, cleo) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("ben", on: server),
        try await Person.signUp("cleo", on: server)
      )
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      expectRefusal(
        try await ana.client.call(RequestFriend(userID: cleo.id)), .openRequestsPerPerson,
        .tooManyRequests)
      _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: true))
      expectRefusal(
        try await ana.client.call(RequestFriend(userID: cleo.id)), .friendsPerPerson)
      _ = try await cleo.result(of: RequestFriend(userID: ana.id))
      // To ask back is to accept.
      expectRefusal(
        try await ana.client.call(RequestFriend(userID: cleo.id)), .friendsPerPerson)
      expectRefusal(
        try await ana.client.call(RespondToFriendRequest(userID: cleo.id, accept: true)),
        .friendsPerPerson)
      let code = try await ana.result(of: CreateInvitation(missionID: nil)).code
      expectRefusal(
        try await ana.client.call(CreateInvitation(missionID: nil)), .openInvitationsPerPerson,
        .tooManyRequests)
      // A code is no way around it, for neither of the two.
      expectRefusal(
        try await cleo.client.call(AcceptInvitation(code: code)), .friendsPerPerson)
      let other = try await cleo.result(of: CreateInvitation(missionID: nil)).code
      expectRefusal(
        try await ana.client.call(AcceptInvitation(code: other)), .friendsPerPerson)
      _ = try await ana.result(of: BlockUser(userID: cleo.id))
      expectRefusal(try await ana.client.call(BlockUser(userID: ben.id)), .blocksPerPerson)
    }
  }

  @Test func `what somebody wrote has a budget in bytes, and stays readable beyond it`()
    async throws
  {
    try await TestServer.with(configure: { $0.budgets[.bytesPerPerson] = 3000 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      // 200 for its row and 3 for its title; a third of the budget is there on the first day.
      let made = try await ana.result(of: mission("One"))
      let text = String(repeating: "é", count: 150)
      _ = try await ana.result(of: SayInMission(missionID: made.id, text: text))
      expectRefusal(
        try await ana.client.call(SayInMission(missionID: made.id, text: text)), .bytesPerPerson)
      #expect(
        try await ana.client.call(SayInMission(missionID: made.id, text: "short")).status == 200)
      var longer = UpdateMission(missionID: made.id)
      longer.brief = String(repeating: "b", count: 300)
      var same = UpdateMission(missionID: made.id)
      same.title = "Uno"
      expectRefusal(
        try await ana.client.call(longer),
        .bytesPerPerson)
      // What makes it no longer is always welcome.
      #expect(
        try await ana.client.call(same).status == 200)
      #expect(
        try await ana.result(of: FetchMissionActivity(missionID: made.id)).count == 3)
    }
  }
}
