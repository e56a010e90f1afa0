import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

@Suite(.everyEngine) struct RequestLimitTests {
  @Test func `nobody has more than five hundred open requests`() async throws {
    let storage = try await Storage.forTest()
    let people = (0...Budget.openRequestsPerPerson.row.standard + 1).map { _ in UUID() }
    let me = try #require(people.first)
    let caller = try #require(
      Caller(
        AccessClaims(
          subject: me.wireText, expiresAt: 0, role: AccessClaims.authenticatedRole,
          sessionID: UUID().wireText)))
    let functions = FriendFunctions(presence: PresentUsers())
    try await storage.write { database in
      for (number, id) in people.enumerated() {
        try UserRecords.insert(
          UserRecord(
            id: id, identityID: UUID(), email: "p\(number)@example.org", password: "",
            metadata: [:], createdAt: WireTime(microseconds: 0), updatedAt: .now, lastSignInAt: .now
          ),
          in: database)
        try ProfileRecords.insert(
          ProfileRecord(
            id: id, username: "p\(number)", displayName: "P", bio: "", version: 1,
            createdAt: .now), in: database)
      }
      for id in people.dropFirst().dropLast() {
        _ = try functions.requestFriend(RequestFriend(userID: id), caller: caller, in: database)
      }
    }
    let last = try #require(people.last)
    await #expect(throws: FunctionFailure.self) {
      try await storage.write { database in
        _ = try functions.requestFriend(
          RequestFriend(userID: last), caller: caller, in: database)
      }
    }
    // One withdrawn makes room for one.
    let first = people[1]
    try await storage.write { database in
      _ = try functions.cancelFriendRequest(
        CancelFriendRequest(userID: first), caller: caller, in: database)
      _ = try functions.requestFriend(RequestFriend(userID: last), caller: caller, in: database)
    }
  }
}
