import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// What a search may cost, however much is searched for.
@Suite struct SearchBudgetTests {
  @Test(.everyEngine) func `a long text is cut and costs what a short one does`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("ben", on: server)
      )
      try await ana.befriend(ben)
      let letters = (0..<100_000).map { String(UnicodeScalar(UInt8(97 + $0 * 7 % 26))) }.joined()
      /// The fastest of a few rounds of eight at once, while a friend fetches their friends.
      func round(_ text: String) async throws -> Duration {
        var fastest = Duration.seconds(1_000_000)
        for _ in 0..<3 {
          let start = ContinuousClock.now
          try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
              tasks.addTask {
                let reply = try await ana.client.call(SearchPeople(query: text))
                #expect(reply.status == 200)
              }
            }
            tasks.addTask {
              let friends = try await ben.result(of: FetchFriends())
              #expect(friends.map(\.username) == ["ana"])
            }
            try await tasks.waitForAll()
          }
          fastest = min(fastest, start.duration(to: .now))
        }
        return fastest
      }
      let short = try await round(String(letters.prefix(64)))
      let long = try await round(letters)
      #expect(long < short * 60, "\(long) for long texts, \(short) for short ones")
    }
  }

  @Test(.everyEngine, .acrossNodes) func `a text with many letters is found by some of them`()
    async throws
  {
    try await TestServer.with { server in
      let (ana, ben) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("ben", on: server)
      )
      _ = try await ben.result(of: UpdateProfile(displayName: "The Quick Brown Fox Jumps Over It"))
      for text in ["quick brown fox jumps over it", "e quick brown fox jumps over"] {
        #expect(try await ana.result(of: SearchPeople(query: text)).map(\.username) == ["ben"])
      }
      // What is behind the sixty-fourth character does not count.
      let padded = "quick" + String(repeating: " ", count: 59) + "nobody"
      #expect(try await ana.result(of: SearchPeople(query: padded)).map(\.username) == ["ben"])
      #expect(
        try await ana.result(of: SearchPeople(query: "quick brawn fox jumps over it")).isEmpty)
    }
  }

  @Test func `the index is asked for a bounded number of words`() {
    let scalars = (0..<64).map { UnicodeScalar(UInt8(33 + $0)) }
    let text = String(String.UnicodeScalarView(scalars))
    func words(_ texts: [String]) -> Int {
      LetterIndex.query(texts, limit: 16)?.components(separatedBy: " AND ").flatMap {
        $0.components(separatedBy: " OR ")
      }.count ?? 0
    }
    #expect(words([text]) == 16)
    #expect(words([text, text]) == 16)
    #expect(words([text, String(text.dropFirst())]) == 16)
    // The same letters again and again are one word.
    #expect(LetterIndex.query([String(repeating: "a", count: 64)], limit: 16) == "(\"aaa\")")
  }

  @Test func `a long pattern of a filter is refused, one that fits is not`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let names = String(repeating: "a", count: 64)
      func statuses(_ path: String) async throws -> [Int] {
        var statuses: [Int] = []
        for pattern in [names, names + "a"] {
          statuses.append(
            try await ana.client.send(.GET, path.replacing("PATTERN", with: pattern)).status)
        }
        return statuses
      }
      for condition in [
        "username=like.PATTERN", "username=not.ilike.PATTERN",
        "or=(username.eq.a,display_name.ilike.PATTERN)",
      ] {
        #expect(try await statuses("/rest/v1/profiles?\(condition)") == [200, 400])
      }
      #expect(
        try await statuses("/rest/v1/rpc/fetch_friends?username=like.PATTERN") == [200, 400])
    }
  }
}
