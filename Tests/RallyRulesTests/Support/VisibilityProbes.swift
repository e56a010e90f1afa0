import Foundation
import RallyTestSupport
import RallyWire

@testable import RallyRules

/// The people who ask about ana, by their index in the world.
enum Viewer: Int, CaseIterable, Sendable {
  case ana, friend, asker, asked, stranger, blocked, blocker

  static let others = allCases.filter { $0 != .ana }
}

/// What is asked about: all of it ana's, or all of it unknown.
struct VisibilityTarget: Sendable {
  var person = UUID()
  var username = "nobody_at_all"
  var mission = UUID()
  var objective = UUID()
  var code: InvitationCode
  /// A mission of the viewer's own.
  var own: UUID

  static func unknown(own: UUID) throws -> VisibilityTarget {
    VisibilityTarget(code: try InvitationCode("7QK2MX9PTF"), own: own)
  }
}

/// A call about somebody, and what each viewer is answered.
struct VisibilityProbe: Sendable {
  let name: String
  let call: @Sendable (VisibilityTarget) -> any RemoteFunction
  /// For each of `Viewer.others`: the word of a refusal, one word of a value, `rows`, `none` for
  /// an empty list, `row`, or `ok`.
  let answers: [String]

  init(
    _ answers: String, _ call: @escaping @Sendable (VisibilityTarget) -> any RemoteFunction
  ) {
    self.call = call
    self.answers = answers.split(separator: " ").map(String.init)
    let sample = call(VisibilityTarget(code: InvitationCode.sample, own: UUID()))
    name = type(of: sample).name
  }

  static let all: [VisibilityProbe] = [
    // People: friend, asker, asked, stranger, blocked, blocker.
    .init("friends outgoing incoming none not_found blocked") {
      FetchFriendshipStatus(userID: $0.person)
    },
    .init("rows rows rows rows none rows") { FetchProfiles(userIDs: [$0.person]) },
    .init("rows rows rows rows none rows") { SearchPeople(query: $0.username) },
    .init("rows none none none none none") { FetchFriends(query: $0.username) },
    .init("none rows none none none none") { _ in FetchFriendRequests(direction: .outgoing) },
    .init("none none rows none none none") { _ in FetchFriendRequests(direction: .incoming) },
    .init("none none none none none rows") { _ in FetchBlockedUsers() },
    .init("row row row row not_found blocked_by_you") { RequestFriend(userID: $0.person) },
    .init("ok request_gone ok request_gone not_found request_gone") {
      RespondToFriendRequest(userID: $0.person, accept: true)
    },
    .init("request_gone request_gone ok request_gone not_found request_gone") {
      RespondToFriendRequest(userID: $0.person, accept: false)
    },
    .init("request_gone ok request_gone request_gone not_found request_gone") {
      CancelFriendRequest(userID: $0.person)
    },
    .init("ok not_friends not_friends not_friends not_found not_friends") {
      RemoveFriend(userID: $0.person)
    },
    .init("ok ok ok ok not_found ok") { BlockUser(userID: $0.person) },
    .init("ok ok ok ok not_found ok") { UnblockUser(userID: $0.person) },
    // Positions: friend, asker, asked, stranger, blocked, blocker.
    .init("rows none none none none none") { _ in FetchFriendLocations() },
    .init("ok not_found not_found not_found not_found not_found") {
      SetLocationSharing(userID: $0.person, mode: .precise)
    },
    .init("rows none none none none none") { _ in FetchLocationAsks() },
    .init("ok not_found not_found not_found not_found not_found") {
      AskLocation(userID: $0.person)
    },
    .init("ok not_found not_found not_found not_found not_found") {
      CloseLocationAsk(userID: $0.person)
    },
    // Missions: friend, asker, asked, stranger, blocked, blocker.
    .init("ok not_found not_found not_found not_found not_found") {
      InviteToMission(missionID: $0.own, userIDs: [$0.person])
    },
    .init("row not_found not_found not_found not_found not_found") {
      FetchMission(missionID: $0.mission)
    },
    .init("rows none none none none none") { _ in
      FetchMissions(scope: .nearby, around: .lisbon, radiusMetres: 1000)
    },
    .init("rows not_found not_found not_found not_found not_found") {
      FetchMissionActivity(missionID: $0.mission)
    },
    .init("row not_found not_found not_found not_found not_found") {
      JoinMission(missionID: $0.mission)
    },
    .init("row not_found not_found not_found not_found not_found") {
      LeaveMission(missionID: $0.mission)
    },
    .init("row not_found not_found not_found not_found not_found") {
      SayInMission(missionID: $0.mission, text: "hello")
    },
    .init("row not_found not_found not_found not_found not_found") {
      CheckIn(
        missionID: $0.mission, objectiveID: $0.objective, at: .lisbon, accuracyMetres: 5)
    },
    .init("row not_found not_found not_found not_found not_found") {
      CreateInvitation(missionID: $0.mission)
    },
    .init("ok not_found not_found not_found not_found not_found") {
      BeginOnMyWay(missionID: $0.mission, userIDs: [$0.person])
    },
    .init("ok ok ok ok ok ok") { EndOnMyWay(missionID: $0.mission) },
    .init("none not_found not_found not_found not_found not_found") {
      FetchComing(missionID: $0.mission)
    },
    .init("none none none none none none") { _ in FetchComing() },
    .init("not_creator not_found not_found not_found not_found not_found") {
      UpdateMission(missionID: $0.mission)
    },
    .init("not_creator not_found not_found not_found not_found not_found") {
      CancelMission(missionID: $0.mission)
    },
    .init("not_creator not_found not_found not_found not_found not_found") {
      SkipOccurrence(missionID: $0.mission)
    },
    .init("not_creator not_found not_found not_found not_found not_found") {
      CompleteMission(missionID: $0.mission)
    },
    // Invitations: friend, asker, asked, stranger, blocked, blocker.
    .init("row row row row not_found not_found") { FetchInvitation(code: $0.code) },
    .init("row row row row not_found not_found") { AcceptInvitation(code: $0.code) },
    .init("not_found not_found not_found not_found not_found not_found") {
      RevokeInvitation(code: $0.code)
    },
  ]

  /// Functions in which nobody else is named, and whose answers name nobody but friends.
  static let aboutNobody: Set<String> = [
    AddPhone.name, AddSSHKey.name, CatchUp.name, CreateMission.name, FetchCalendarAddress.name,
    FetchInvitations.name, FetchLocationSharing.name, FetchPhones.name, FetchPrivacyRules.name,
    FetchSSHKeys.name, MakeCalendarAddress.name, PublishLocations.name, RemoveSSHKey.name,
    RevokeCalendarAddress.name, RevokePhone.name, SetGhost.name,
    SetPrivacyRules.name, UpdateProfile.name,
    WithdrawLocation.name, MakeWatchLink.name, FeedWatchLink.name, EndWatchLinks.name,
    FetchWatchLinks.name,
  ]
}

extension InvitationCode {
  /// Of nobody.
  fileprivate static var sample: InvitationCode {
    guard let code = try? InvitationCode("7QK2MX9PTF") else { preconditionFailure("no code") }
    return code
  }
}
