import Foundation
import HTTPTypes
import HummingbirdCore
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Answers are limited in bytes, and whoever goes on by the rows that came misses none.
@Suite(.everyEngine) struct PageBytesTests {
  /// Missions whose briefs take 2,000 bytes each, and objectives as many again.
  private static let count = 120
  private static let limit = Budget.answerBytes.row.standard

  private func withMissions(_ body: (Person, TestServer) async throws -> Void) async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      for number in 0..<Self.count {
        var call = CreateMission.sample("Mission \(number)")
        call.brief = String(repeating: "\u{1F525}", count: 500)
        call.objectives = (0..<8).map { _ in
          ObjectiveInput(title: String(repeating: "\u{1F525}", count: 60))
        }
        _ = try await ana.result(of: call)
      }
      try await body(ana, server)
    }
  }

  @Test func `a function's rows come in answers of 256 kB`() async throws {
    try await withMissions { ana, _ in
      var seen: [UUID] = []
      var answers = 0
      while true {
        let call = FetchMissions(scope: .active, limit: 200, offset: seen.count)
        let reply = try await ana.client.send(
          .POST, "/rest/v1/rpc/fetch_missions", data: try WireJSON.encode(call),
          headers: ["prefer": "count=exact"])
        let rows = try reply.decoded([MissionRecord].self)
        #expect(reply.body.count <= Self.limit)
        let rest = Self.count - seen.count
        #expect(
          reply.headers.first(name: "content-range")
            == (rows.isEmpty ? "*/0" : "0-\(rows.count - 1)/\(rest)"))
        #expect(reply.status == (rows.count < rest ? 206 : 200))
        if rows.isEmpty { break }
        seen += rows.map(\.id)
        answers += 1
      }
      #expect(answers > 1)
      #expect(Set(seen).count == Self.count && seen.count == Self.count)
    }
  }

  @Test func `a table's rows do, and their range says where`() async throws {
    try await withMissions { ana, _ in
      var seen: [String] = []
      while true {
        let reply = try await ana.client.send(
          .GET, "/rest/v1/missions?order=id&offset=\(seen.count)",
          headers: ["prefer": "count=exact"])
        #expect(reply.body.count <= Self.limit)
        let rows = (reply.json.array ?? []).compactMap { $0["id"]?.string }
        let range =
          rows.isEmpty
          ? "*/\(Self.count)" : "\(seen.count)-\(seen.count + rows.count - 1)/\(Self.count)"
        #expect(reply.headers.first(name: "content-range") == range)
        if rows.isEmpty { break }
        seen += rows
      }
      #expect(seen == seen.sorted() && Set(seen).count == Self.count)
    }
  }

  @Test func `one row is sent however large it is`() async throws {
    let row: JSONRow = ["text": .string(String(repeating: "x", count: 2 * Self.limit))]
    let answer = RowAnswer(query: .none, preferences: try Preferences([:]), budgets: BudgetKeeper())
    let response = try answer.response(to: [row, row])
    #expect(response.headers[.contentRange] == "0-0/*")
    #expect(response.body.contentLength.map { $0 > 2 * Self.limit } == true)
  }
}
