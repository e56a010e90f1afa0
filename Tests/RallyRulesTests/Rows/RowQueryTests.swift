import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Filters, order and selection on rows that lie in a list.
@Suite struct RowQueryTests {
  private static let relation = RowRelation(
    name: "things",
    columns: [
      .init(name: "id", type: "uuid"), .init(name: "name", type: "text"),
      .init(name: "n", type: "int8"), .init(name: "x", type: "float8"),
      .init(name: "flag", type: "bool"), .init(name: "at", type: "timestamptz"),
      .init(name: "list", type: "jsonb"),
    ])

  private static func row(
    _ name: String, n: JSONValue = nil, x: JSONValue = nil, flag: JSONValue = nil,
    at: JSONValue = nil
  ) -> JSONRow {
    [
      "id": "00000000-0000-4000-8000-00000000000a", "name": .string(name), "n": n, "x": x,
      "flag": flag, "at": at, "list": [1],
    ]
  }

  private static let rows = [
    row("anna", n: 1, x: 1, flag: true, at: "2026-01-01T00:00:00.000000+00:00"),
    row("Ben", n: 10, x: .number(2.5), flag: false, at: "2026-06-01T12:00:00.000000+00:00"),
    row("a,b \"c\"", n: 9, x: -3),
    row("100%", flag: true),
  ]

  private func query(_ text: String) throws -> RowQuery {
    try RowQuery(QueryItem.all(in: text), on: Self.relation)
  }

  private func names(_ text: String) throws -> [String] {
    try query(text).matching(Self.rows).compactMap { $0["name"]?.string }
  }

  /// The code of a refusal; nil when the text is accepted.
  private func code(_ text: String) -> String? {
    do {
      _ = try query(text)
      return nil
    } catch let failure as FunctionFailure {
      return failure.code
    } catch {
      return "\(error)"
    }
  }

  // MARK: - Filters

  @Test(arguments: [
    ("name=eq.anna", ["anna"]), ("name=neq.anna&n=not.is.null", ["Ben", "a,b \"c\""]),
    ("n=gt.1", ["Ben", "a,b \"c\""]), ("n=gte.10", ["Ben"]), ("n=lt.9", ["anna"]),
    ("n=lte.9", ["anna", "a,b \"c\""]), ("x=lt.1.5", ["anna", "a,b \"c\""]),
    ("name=like.a*", ["anna", "a,b \"c\""]), ("name=like.%25n%25", ["anna", "Ben"]),
    ("name=ilike.b_n", ["Ben"]), ("name=like.b_n", []), ("name=like.100\\%25", ["100%"]),
    ("n=is.null", ["100%"]), ("n=is.not_null&flag=is.true", ["anna"]),
    ("flag=is.unknown", ["a,b \"c\""]), ("flag=not.is.true", ["Ben", "a,b \"c\""]),
    ("n=in.(1,10)", ["anna", "Ben"]), ("name=in.(\"a,b \\\"c\\\"\",Ben)", ["Ben", "a,b \"c\""]),
    ("n=in.()", []), ("n=not.in.(1,10)", ["a,b \"c\""]),
    ("at=gt.2026-01-01T00:00:00Z", ["Ben"]), ("at=lte.2026-01-01", ["anna"]),
    ("at=eq.2026-06-01T14:00:00%2B02:00", ["Ben"]),
    ("id=eq.00000000-0000-4000-8000-00000000000A&n=eq.1", ["anna"]),
    ("or=(n.eq.1,name.eq.Ben)", ["anna", "Ben"]),
    ("or=(n.eq.1,and(n.gt.5,x.not.lt.0))", ["anna", "Ben"]),
    ("and=(n.gt.0,not.or(n.eq.1,n.eq.9))", ["Ben"]), ("not.or=(n.eq.1,n.eq.9)", ["Ben"]),
    ("or=(name.in.(\"a,b \\\"c\\\"\",anna),n.eq.10)", ["anna", "Ben", "a,b \"c\""]),
    ("\"n\"=gte.10", ["Ben"]), ("or=(\"n\".eq.1,\"n\".eq.10)", ["anna", "Ben"]),
    ("n=not.eq.1", ["Ben", "a,b \"c\""]), ("name=eq.a,b+%22c%22", ["a,b \"c\""]),
  ])
  func `filters let pass what SQL would`(text: String, expected: [String]) throws {
    #expect(try names(text) == expected)
  }

  @Test func `a comparison with null is neither true nor false`() throws {
    // Three rows have a number; neither the condition nor its opposite lets the fourth pass.
    #expect(try names("n=eq.1").count + names("n=not.eq.1").count == 3)
    #expect(try names("or=(n.eq.1,flag.is.true)") == ["anna", "100%"])
    #expect(try names("not.and=(n.eq.1,flag.is.true)") == ["Ben", "a,b \"c\""])
  }

  @Test func `patterns are matched in bounded time`() {
    let pattern = LikePattern(String(repeating: "*a", count: 2000) + "b", ignoresCase: false)
    #expect(!pattern.matches(String(repeating: "a", count: 4000)))
  }

  // MARK: - Order and selection

  @Test(arguments: [
    ("order=n", ["anna", "a,b \"c\"", "Ben", "100%"]),
    ("order=n.desc", ["100%", "Ben", "a,b \"c\"", "anna"]),
    ("order=n.desc.nullslast", ["Ben", "a,b \"c\"", "anna", "100%"]),
    ("order=n.nullsfirst", ["100%", "anna", "a,b \"c\"", "Ben"]),
    ("order=flag.desc.nullslast,name", ["100%", "anna", "Ben", "a,b \"c\""]),
    ("order=\"flag\".desc.nullslast,\"name\"", ["100%", "anna", "Ben", "a,b \"c\""]),
    ("order=name.asc", ["100%", "Ben", "a,b \"c\"", "anna"]),
  ])
  func `rows are sorted by several columns`(text: String, expected: [String]) throws {
    #expect(try names(text) == expected)
  }

  @Test func `a selection names, renames and repeats columns`() throws {
    func shape(_ text: String) throws -> JSONRow { try query(text).selection(Self.rows[0]) }
    #expect(try shape("select=name,n") == ["name": "anna", "n": 1])
    #expect(try shape("select=who:name,%20n") == ["who": "anna", "n": 1])
    #expect(try shape("select=\"name\",count:\"n\"") == ["name": "anna", "count": 1])
    #expect(try shape("select=\"who\":name") == ["who": "anna"])
    #expect(try shape("select=*") == Self.rows[0])
    #expect(try shape("select=*,who:name")["who"] == "anna")
  }

  // MARK: - Refusals

  @Test(arguments: [
    ("name=anna", "PGRST100"), ("name=eq", "PGRST100"), ("name=is.maybe", "PGRST100"),
    ("name=matches.a", "PGRST100"), ("n=in.1", "PGRST100"), ("n=in.(1", "PGRST100"),
    ("or=n.eq.1", "PGRST100"), ("or=(n.eq.1", "PGRST100"), ("or=()", "PGRST100"),
    ("or=(n.eq.1)x", "PGRST100"), ("name=in.(\"a)", "PGRST100"), ("limit=ten", "PGRST100"),
    ("order=n.up", "PGRST100"), ("order=n.desc.asc", "PGRST100"),
    ("select=n::text", "PGRST100"), ("select=a:b:c", "PGRST100"), ("name=%FF", "PGRST100"),
    ("select=rel(*)", "PGRST200"), ("rel.name=eq.a", "PGRST108"),
    ("limit=-1", "PGRST103"), ("offset=-1", "PGRST103"), ("nothing=eq.1", "42703"),
    ("select=nothing", "42703"), ("select=\"nothing\"", "42703"), ("select=\"", "42703"),
    ("order=\"nothing\".desc", "42703"), ("\"rel.name\"=eq.a", "42703"),
    ("order=nothing", "42703"), ("or=(nothing.eq.1)", "42703"),
    ("id=eq.x", "22P02"), ("n=eq.1.5", "22P02"), ("x=gt.much", "22P02"), ("flag=eq.7", "22P02"),
    ("n=in.(1,two)", "22P02"), ("at=gt.yesterday", "22007"), ("at=lt.2026-02-29", "22007"),
    ("n=like.1*", "42883"),
    ("list=eq.1", "42883"), ("order=list", "42883"), ("n=is.true", "42804"),
  ])
  func `what cannot be read has PostgREST's code`(text: String, expected: String) {
    #expect(code(text) == expected)
  }

  @Test func `a query has bounds`() {
    let values = (0...FilterParser.listLimit).map(String.init).joined(separator: ",")
    #expect(code("n=in.(\(values))") == "PGRST100")
    let deep = String(repeating: "and(", count: 50) + "n.eq.1" + String(repeating: ")", count: 50)
    #expect(code("or=(\(deep))") == "PGRST100")
    func many(_ text: String, _ count: Int, by separator: String = ",") -> String {
      Array(repeating: text, count: count).joined(separator: separator)
    }
    for (limit, text) in [
      (RowQuery.itemLimit, { many("n=eq.1", $0, by: "&") }),
      (RowQuery.itemLimit, { "or=(\(many("n.eq.1", $0)))" }),
      (RowSelection.limit, { "select=\(many("n", $0))" }),
      (RowSorting.limit, { "order=\(many("n", $0))" }),
    ] as [(Int, (Int) -> String)] {
      #expect(code(text(limit)) == nil)
      #expect(code(text(limit + 1)) == "PGRST100")
    }
  }

  // MARK: - Keys

  @Test func `only conditions that every row must fulfil name keys`() throws {
    let id = "00000000-0000-4000-8000-00000000000a"
    func keys(_ text: String) throws -> [String]? { try query(text).filter.keys("id") }
    #expect(try keys("id=eq.\(id)") == [id])
    #expect(try keys("and=(id.in.(\(id.uppercased())),n.gt.1)") == [id])
    #expect(try keys("or=(id.eq.\(id))") == [id])
    #expect(try keys("or=(id.eq.\(id),n.gt.1)") == nil)
    #expect(try keys("id=not.eq.\(id)") == nil)
    #expect(try keys("id=neq.\(id)") == nil)
    #expect(
      try query("at=lt.2026-01-02&at=lte.2026-01-01").filter.latest("at")
        == WireTime("2026-01-01T00:00:00Z"))
    #expect(try query("at=gt.2026-01-02").filter.latest("at") == nil)
  }
}
