import HTTPTypes
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Nonsense in a query string is answered with a code, and never with anything else.
@Suite struct RowQueryFuzzTests {
  private static let pieces = [
    "id", "status", "version", "created_at", "requester_id", "select", "order", "limit", "offset",
    "and", "or", "not", "eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "is", "in", "null",
    "true", "asc", "desc", "nullsfirst", "nullslast", "=", "=", "&", "&", ".", ".", ",", "(", ")",
    "\"", "\\", "*", "%", "%25", "%28", "%00", "%F0%9F", "+", ":", "::text", "->", "->>", "\u{301}",
    "😀", "0", "-1", "9223372036854775807", "99999999999999999999", "1e999", "nan",
    "9999-12-31T23:59:59Z", "2026-01-01", "00000000-0000-4000-8000-000000000001", "accepted", "#",
    ";", "'", " ",
  ]
  private static let rows: [JSONRow] = (0..<5).map { index in
    [
      "id": .string("00000000-0000-4000-8000-00000000000\(index)"), "status": "accepted",
      "version": index == 0 ? .null : .integer(Int64(index)),
      "created_at": "2026-01-01T00:00:00.000000+00:00",
    ]
  }
  private static let codes: Set<String> = [
    "PGRST100", "PGRST103", "PGRST108", "PGRST200", "22P02", "22007", "42703", "42804", "42883",
  ]

  /// How many were accepted and refused.
  private func run(_ texts: some Sequence<String>) throws -> (accepted: Int, refused: Int) {
    let relation = ReadableTable.friendships.relation
    var counts = (accepted: 0, refused: 0)
    for text in texts {
      do {
        try CPUTimeLimit.check(text) {
          let query = try RowQuery(QueryItem.all(in: text), on: relation)
          _ = try RowAnswer(query: query, preferences: Preferences([:])).response(to: Self.rows)
        }
        counts.accepted += 1
      } catch let failure as FunctionFailure {
        #expect(Self.codes.contains(failure.code), "\(failure) for \(text)")
        counts.refused += 1
      }
    }
    return counts
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `pieces of queries in any order are read or refused`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let counts = try run(
      (0..<5000).map { _ in
        (0..<Int.random(in: 1...14, using: &random)).map { _ in
          Self.pieces.randomElement(using: &random) ?? ""
        }.joined()
      })
    #expect(counts.refused > 0)
  }

  @Test func `queries with one mistake are read or refused`() throws {
    var random = SeededGenerator(seed: 7)
    let good = [
      "select=who:requester_id,status&order=created_at.desc.nullslast,id&limit=2&offset=1",
      "or=(status.eq.pending,and(version.gt.1,created_at.not.lt.2026-01-01))&version=not.is.null",
      "id=in.(00000000-0000-4000-8000-000000000001,\"00000000-0000-4000-8000-000000000002\")",
      "status=ilike.*acc%25&version=in.(1,2,3)&limit=9223372036854775807&offset=3",
    ]
    let counts = try run(
      (0..<8000).map { _ in
        var scalars = Array((good.randomElement(using: &random) ?? "").unicodeScalars)
        let place = Int.random(in: 0..<scalars.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: scalars.remove(at: place)
        case 1:
          scalars.insert(
            contentsOf: Self.pieces.randomElement(using: &random)?.unicodeScalars
              ?? "".unicodeScalars, at: place)
        default: scalars.swapAt(place, Int.random(in: 0..<scalars.count, using: &random))
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
      })
    #expect(counts.accepted > 0)
    #expect(counts.refused > 0)
  }
}
