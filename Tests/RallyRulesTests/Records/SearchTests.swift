import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// Names as they are looked for and put in order, also after they changed.
@Suite struct SearchTests {
  private func people(
    _ names: String..., body: ([Person]) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      var people: [Person] = []
      for name in names { people.append(try await Person.signUp(name, on: server)) }
      try await body(people)
    }
  }

  private func search(_ text: String, as person: Person) async throws -> [String] {
    try await person.result(of: SearchPeople(query: text)).map(\.username)
  }

  @Test func `three letters are found anywhere, fewer only at the beginning`() async throws {
    try await people("anna", "joan", "susanne", "me_") { people in
      let me = people[3]
      let beginnings = try await search("an", as: me)
      #expect(beginnings == ["anna"])
      #expect(try await search("oan", as: me) == ["joan"])
      #expect(try await search("ann", as: me) == ["anna", "susanne"])
      #expect(try await search("sann", as: me) == ["susanne"])
      #expect(try await search("sanna", as: me) == [])
      // All its letters are there, in another place.
      #expect(try await search("annsus", as: me) == [])
      #expect(try await search("\"an", as: me) == [])
      #expect(try await search("an\0na", as: me) == [])
    }
  }

  @Test func `a name is found in any script, wherever three of its letters stand`() async throws {
    try await people("ben", "me_") { people in
      _ = try await people[0].result(of: UpdateProfile(displayName: "Åse Örtengren 漢字かな"))
      for text in ["tengr", "ÖRT", "字かな", "åse ö"] {
        #expect(try await search(text, as: people[1]) == ["ben"], "\(text)")
      }
    }
  }

  @Test func `a new name is found and put in its place, the old one is forgotten`() async throws {
    try await people("ana", "ben", "cleo", "me_") { people in
      let me = people[3]
      for friend in people.prefix(3) { try await me.befriend(friend) }
      func order() async throws -> [String] {
        try await me.result(of: FetchFriends()).map(\.username)
      }
      #expect(try await order() == ["ana", "ben", "cleo"])
      _ = try await people[0].result(of: UpdateProfile(displayName: "Zora Zauber"))
      #expect(try await order() == ["ben", "cleo", "ana"])
      #expect(try await search("aub", as: me) == ["ana"])
      _ = try await people[0].result(of: UpdateProfile(displayName: "Ana"))
      #expect(try await search("aub", as: me) == [])
      #expect(try await order() == ["ana", "ben", "cleo"])
      _ = try await me.result(of: RemoveFriend(userID: people[1].id))
      #expect(try await order() == ["ana", "cleo"])
      _ = try await me.result(of: BlockUser(userID: people[0].id))
      #expect(try await order() == ["cleo"])
    }
  }

  @Test func `pages of friends are one list, whatever is asked for`() async throws {
    try await people("ana", "ben", "cleo", "dora", "me_") { people in
      let me = people[4]
      for friend in people.prefix(4).reversed() { try await me.befriend(friend) }
      var names: [String] = []
      for offset in 0..<5 {
        names += try await me.result(of: FetchFriends(limit: 1, offset: offset)).map(\.username)
      }
      #expect(names == ["ana", "ben", "cleo", "dora"])
      #expect(
        try await me.result(of: FetchFriends(query: "o", limit: 1, offset: 1)).map(\.username)
          == ["dora"])
    }
  }

  @Test func `a page reads an index and sorts nothing`() async throws {
    let storage = try Storage(path: nil)
    let plan = try await storage.read { database in
      try Row.fetchAll(
        database, sql: "EXPLAIN QUERY PLAN \(FriendNames.page(isFiltered: false))",
        arguments: ["me": "a", "limit": 1, "offset": 0]
      ).map(\.description).joined()
    }
    #expect(plan.contains("USING COVERING INDEX"))
    #expect(!plan.contains("TEMP B-TREE"))
  }

  @Test func `what the letters are asked for says nothing else to the index`() {
    #expect(LetterIndex.query(["an"], limit: 16) == nil)
    #expect(LetterIndex.query(["a\0b"], limit: 16) == nil)
    #expect(LetterIndex.query(["ana"], limit: 16) == "(\"ana\")")
    #expect(LetterIndex.query(["anab", "x"], limit: 16) == "(\"ana\" AND \"nab\")")
    #expect(
      LetterIndex.query(["a\"b\"c"], limit: 16) == "(\"a\"\"b\" AND \"\"\"b\"\"\" AND \"b\"\"c\")")
  }
}
