import RallyWire
import Testing

@testable import RallyServer

@Suite struct ChangeFilterTests {
  private let row: [String: JSONValue] = [
    "id": "1", "status": "pending", "version": 3, "accepted_at": nil,
  ]

  @Test(arguments: [
    ("status=eq.pending", true), ("status=eq.accepted", false), ("status=neq.accepted", true),
    ("status=in.(accepted,pending)", true), ("version=eq.3", true),
    ("status=eq.pending,version=eq.4", false), ("status=in.(a,b),version=eq.3", false),
    ("accepted_at=neq.x", false),
  ])
  func `a row passes when every condition holds`(_ text: String, _ passes: Bool) throws {
    let filter = try ChangeFilter(text, columns: PublishedTable.friendships)
    #expect(filter.matches(row) == passes)
  }

  @Test(arguments: ["", "status", "status=eq", "secret=eq.1", "status=like.*", "status=in.a"])
  func `what is not offered is refused`(_ text: String) {
    #expect(throws: ChangeFilter.Unsupported.self) {
      try ChangeFilter(text, columns: PublishedTable.friendships)
    }
  }
}
