import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Filters and orders of every column are tried for a trace of somebody who is not to be seen.
@Suite(.everyEngine) struct TableTraceTests {
  @Test func `no filter and no order brings up what is hidden`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let friend = try await Person.signUp("friend", on: server)
      let blocked = try await Person.signUp("blocked", on: server)
      let stranger = try await Person.signUp("stranger", on: server)
      let asker = try await Person.signUp("asker", on: server)
      let asked = try await Person.signUp("asked", on: server)
      let blocker = try await Person.signUp("blocker", on: server)
      for other in [friend, blocked, blocker] { try await ana.befriend(other) }
      let mission = try await ana.result(of: CreateMission.sample("Tiles"))
      _ = try await friend.result(of: JoinMission(missionID: mission.id))
      try await ana.share(.precise)
      try await ana.publish(.sample())
      _ = try await ana.result(of: BlockUser(userID: blocked.id))
      _ = try await blocker.result(of: BlockUser(userID: ana.id))
      _ = try await asker.result(of: RequestFriend(userID: ana.id))
      _ = try await ana.result(of: RequestFriend(userID: asked.id))
      // Who may see of her what she is to them, and nothing else.
      let readers: [(person: Person, sees: Set<ReadableTable>)] = [
        (blocked, []), (blocker, [.profiles]), (stranger, [.profiles]),
        (asker, [.profiles, .friendships]), (asked, [.profiles, .friendships]),
      ]
      // Everybody has rows of their own to hide among.
      for (person, _) in readers {
        _ = try await person.result(of: CreateMission.sample("Own"))
        try await person.publish(.sample())
      }
      let traces = [ana.wireID, mission.id.wireText, "\"ana\"", "Tiles"]
      for table in ReadableTable.allCases {
        let rows = try await ana.client.send(.GET, "/rest/v1/\(table.rawValue)").json.array ?? []
        #expect(!rows.isEmpty, "\(table)")
        for query in Self.queries(rows, columns: table.relation.columns.map(\.name)) {
          for (person, sees) in readers where !sees.contains(table) {
            let reply = try await person.client.send(
              .GET, "/rest/v1/\(table.rawValue)?\(query)", headers: ["prefer": "count=exact"])
            let text = String(decoding: reply.body, as: UTF8.self)
            #expect(reply.status < 500, "\(table)?\(query)")
            for trace in traces {
              #expect(!text.contains(trace), "\(person.username): \(table)?\(query): \(text)")
            }
            let count = reply.json.array?.count ?? 0
            let total = reply.headers["content-range"].first?.split(separator: "/").last
            if reply.status == 200 { #expect(total.map(String.init) == "\(count)") }
          }
        }
      }
    }
  }

  /// Every order, and every filter that holds for some row.
  private static func queries(_ rows: [JSONValue], columns: [String]) -> [String] {
    columns.flatMap { column -> [String] in
      let values = Set(
        rows.compactMap { row -> String? in
          guard let value = row[column] else { return nil }
          return value.string ?? (try? WireJSON.text(value)).flatMap { $0 == "null" ? nil : $0 }
        })
      let filters = values.flatMap { value -> [String] in
        let text =
          value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? value
        return ["\(column)=eq.\(text)", "\(column)=gte.\(text)", "\(column)=in.(\(text))"]
      }
      return ["order=\(column).asc", "order=\(column).desc", "\(column)=not.is.null"] + filters
    }
  }
}
