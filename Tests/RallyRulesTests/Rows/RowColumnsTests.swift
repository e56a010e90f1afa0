import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// The columns that queries may name are those that the rows have.
@Suite struct RowColumnsTests {
  private static let profile = ProfileRecord(
    id: UUID(), username: "ana", displayName: "Ana", bio: "", version: 1, createdAt: .now)

  private func names<T: Encodable & ColumnedRow>(_ row: T) throws -> (
    has: Set<String>, says: Set<String>
  ) {
    let names = try JSONValue(encoding: row).object.map { Set($0.keys) } ?? []
    return (names, Set(T.columns.map(\.name)))
  }

  @Test func `rows with every value have exactly their columns`() throws {
    let location = LocationRecord(
      userID: UUID(), coordinate: .lisbon, accuracyMetres: 1, speed: 1, course: 1, battery: 1,
      recordedAt: .now, source: "gps", precision: .precise, version: 1)
    var fields = MissionFields(
      title: "", centre: .lisbon, radiusMetres: 1, startsAt: .now, endsAt: .now)
    fields.series = MissionSeries(repeats: .weekly, startsAt: .now, timeZone: "UTC")
    fields.capacity = 1
    var mission = MissionRecord(id: UUID(), creatorID: UUID(), fields: fields, createdAt: .now)
    (mission.closedAt, mission.myState) = (.now, .joined)
    let pairs = [
      try names(Self.profile),
      try names(
        FriendRecord(profile: Self.profile, since: .now, presence: .online, lastSeen: .now)),
      try names(PersonRecord(profile: Self.profile, friendshipStatus: .none)),
      try names(DatedProfileRecord(profile: Self.profile, createdAt: .now)), try names(location),
      try names(
        LocationSharingRecord(
          userID: UUID(), username: "", displayName: "", mode: .precise, until: .now,
          isDefault: true, location: location, withheld: .off, wayUntil: .now, isFriend: true,
          isGhost: false)),
      try names(mission),
      try names(
        MissionActivityRecord(
          id: UUID(), missionID: UUID(), missionTitle: "", kind: .said, userID: UUID(),
          username: "", displayName: "", objectiveID: UUID(), objectiveTitle: "", text: "",
          createdAt: .now)),
      try names(
        InvitationRecord(
          code: try InvitationCode("7QK2M-X9PTF"), missionID: UUID(), missionTitle: "", uses: 1,
          used: 0, usedBy: [], expiresAt: .now, createdAt: .now)),
      try names(
        PhoneRecord(
          id: UUID(), app: .owntracks, name: "", createdAt: .now, lastPostAt: .now,
          lastFixAt: .now, problem: "", problemAt: .now)),
      try names(
        SSHKeyRecord(
          id: UUID(), name: "", type: "", fingerprint: "", createdAt: .now, lastUsedAt: .now)),
      try names(
        LocationAskRecord(
          userID: UUID(), username: "", displayName: "", direction: .incoming, askedAt: .now)),
      try names(
        ComingRecord(
          missionID: UUID(), userID: UUID(), username: "", displayName: "", beganAt: .now,
          until: .now, arrivedAt: .now,
          location: location)),
      try names(
        WatchLinkRecord(
          linkID: try #require(WatchLinkID(String(repeating: "A", count: WatchLinkID.length))),
          mode: .precise, until: .now, createdAt: .now, watchers: 0, isFromPhone: true)),
    ]
    for pair in pairs { #expect(pair.has == pair.says) }
  }

  @Test func `every function that gives a list can be filtered`() throws {
    let table = FunctionTable(presence: PresentUsers(), moves: try .immediate())
    let lists = table.names.filter { name in
      if case .rows? = table[name]?.result { true } else { false }
    }
    #expect(
      lists == [
        "fetch_blocked_users", "fetch_coming", "fetch_friend_locations", "fetch_friend_requests",
        "fetch_friends",
        "fetch_invitations", "fetch_location_asks", "fetch_location_sharing",
        "fetch_mission_activity", "fetch_missions", "fetch_phones", "fetch_profiles",
        "fetch_ssh_keys", "fetch_watch_links", "search_people",
      ])
  }
}
