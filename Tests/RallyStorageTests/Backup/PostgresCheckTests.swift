import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyStorage

@Suite struct PostgresCheckTests {
  @Test func `a sound database has no problem, and each damage is named`() async throws {
    let postgres = try PostgresFixture.shared.get()
    let address = try postgres.database()
    let schema = try #require("\(address)".firstMatch(of: /test_[0-9]+/)?.output)
    let server = try await TestServer.start { $0.database = .postgres(address, folder: nil) }
    let ana = try await Person.signUp("ana", on: server)
    let bob = try await Person.signUp("bob", on: server)
    _ = try await ana.result(of: RequestFriend(userID: bob.id))
    _ = try await bob.result(of: RespondToFriendRequest(userID: ana.id, accept: true))
    _ = try await ana.result(of: CreateMission.sample())
    try await server.stop()
    #expect(try await DatabaseCheck.problems(in: address) == [])

    func damage(_ sql: String) throws {
      try postgres.execute(
        "SET search_path = \(schema); SET session_replication_role = replica; \(sql)")
    }
    try damage("INSERT INTO blocks SELECT smaller, larger, 0 FROM friendships")
    try damage("ALTER TABLE calls ADD CONSTRAINT odd CHECK (at < 0) NOT VALID")
    try damage("DELETE FROM sessions; DELETE FROM users WHERE email LIKE 'ana%'")
    let problems = try await DatabaseCheck.problems(in: address)
    #expect(problems.contains("1 × friendship beside a block"))
    #expect(problems.contains("the constraint odd is not validated"))
    #expect(problems.contains("1 × row of profiles that refers to a missing row of users"))
    // Without a column the others are not asked.
    try damage("ALTER TABLE profiles DROP COLUMN bio")
    #expect(
      try await DatabaseCheck.problems(in: address)
        == ["the column bio of the table profiles is missing"])
  }
}
