import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite struct ChangeFilterTests {
  private static let id = "00000000-0000-4000-8000-000000000001"
  private let relation = RowRelation(
    name: "friendships", columns: PublishedTables.friendships.columns)
  private let row: JSONRow = [
    "id": .string(Self.id), "status": "pending", "version": 3, "accepted_at": nil,
    "created_at": "2026-01-02T03:04:05.000000+00:00",
  ]

  @Test(arguments: [
    ("status=eq.pending", true), ("status=eq.accepted", false), ("status=neq.accepted", true),
    ("status=in.(accepted,pending)", true), ("version=eq.3", true),
    ("status=eq.pending,version=eq.4", false), ("status=in.(a,b),version=eq.3", false),
    ("version=gt.2,version=lt.4", true), ("version=gte.4", false), ("version=lte.3", true),
    ("created_at=gt.2026-01-02T03:04:04Z", true), ("created_at=lt.2026-01-01", false),
    ("status=like.pend%", true), ("status=like.PEND%", false), ("status=ilike.*END*", true),
    ("accepted_at=is.null", true), ("accepted_at=not.is.null", false),
    ("accepted_at=neq.2026-01-01", false), ("version=is.null", false),
    ("status=not.eq.accepted", true),
    ("status=not.in.(accepted,blocked)", true), ("status=not.not.eq.pending", true),
    ("status=isdistinct.accepted", true), ("status=isdistinct.pending", false),
    ("accepted_at=isdistinct.2026-01-01", true), ("accepted_at=isdistinct.null", false),
    ("accepted_at=not.isdistinct.null", true),
    (#"status=in.("a,b","pending")"#, true), ("id=in.(\(id))", true), ("id=eq.\(id)", true),
  ])
  func `a row passes when every condition holds`(_ text: String, _ passes: Bool) throws {
    #expect(try ChangeFilter(text, on: relation).matches(row) == passes)
  }

  @Test(arguments: [
    "", "status", "status=eq", "secret=eq.1", "status=in.a", "id=eq.x", "version=like.3",
    "version=gt.many", "id=match.a", "status=match.(", "status=match.^p",
    "status=imatch.^P", "status=not.match.^p", "accepted_at=is.something", "status=eq.a,",
    "status=near.x", "=eq.1", "status=in.(a",
  ])
  func `what is not offered is refused`(_ text: String) {
    #expect(throws: ChangeFilter.Unsupported.self) { try ChangeFilter(text, on: relation) }
  }

  @Test func `a list has at most a hundred values, a filter an end`() throws {
    func list(_ count: Int) -> String {
      "version=in.(\((0..<count).map(String.init).joined(separator: ",")))"
    }
    _ = try ChangeFilter(list(100), on: relation)
    #expect(throws: ChangeFilter.Unsupported.self) { try ChangeFilter(list(101), on: relation) }
    #expect(throws: ChangeFilter.Unsupported.self) {
      try ChangeFilter("version=not.in.(" + list(101).dropFirst(12), on: relation)
    }
    #expect(throws: ChangeFilter.Unsupported.self) {
      try ChangeFilter("status=eq." + String(repeating: "a", count: 9000), on: relation)
    }
  }

  @Test func `of a deleted row only the key is known`() throws {
    let gone: JSONRow = ["id": .string(Self.id)]
    #expect(try ChangeFilter("id=eq.\(Self.id)", on: relation).matches(gone))
    for text in ["status=neq.x", "accepted_at=is.null", "status=isdistinct.x"] {
      #expect(try !ChangeFilter(text, on: relation).matches(gone))
    }
  }
}
