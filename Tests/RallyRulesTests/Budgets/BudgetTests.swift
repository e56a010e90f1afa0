import Foundation
import NIOHTTP1
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// The table of budgets: its names, its document, and what an operator may say.
@Suite struct BudgetTests {
  private static let manual = URL(filePath: #filePath)
    .appending(path: "../../../../docs/serve.md").standardizedFileURL

  @Test func `the document has the table that the program has`() throws {
    let text = try String(contentsOf: Self.manual, encoding: .utf8)
    let shown = text.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.count(of: "|") == 6 }
    let lines = Budget.markdown.split(separator: "\n").dropFirst(2)
    for line in lines where !shown.contains(line) { Issue.record("missing: \(line)") }
    for line in shown where !lines.contains(line) { Issue.record("not in the program: \(line)") }
  }

  @Test func `a budget is changed by its name, and the last one said counts`() throws {
    var budgets = Budgets.standard
    try budgets.apply("searches-per-person=7")
    try budgets.apply("searches-per-person=9")
    #expect(budgets[.searchesPerPerson] == 9)
    #expect(budgets[.requestsPerPerson] == Budget.requestsPerPerson.row.standard)
  }

  @Test func `what is no budget is refused with what is wrong`() {
    func problem(_ text: String) -> Budgets.Problem? {
      var budgets = Budgets.standard
      do throws(Budgets.Problem) {
        try budgets.apply(text)
        return nil
      } catch {
        #expect(budgets == .standard)
        return error
      }
    }
    #expect(problem("searches-per-person") == .noAssignment("searches-per-person"))
    #expect(problem("serches-per-person=1") == .unknownName("serches-per-person"))
    for value in ["", "0", "-1", "1.5", "many", "1000000000001", "99999999999999999999"] {
      #expect(problem("sockets=\(value)") == .badValue(value, of: .sockets))
    }
  }

  @Test func `refusals are counted by their budget`() {
    let keeper = BudgetKeeper(Budgets([.sockets: 2]))
    #expect(keeper.allows(.sockets, beside: 1))
    #expect(!keeper.allows(.sockets, beside: 2))
    #expect(keeper.allows(.bodyBytes, of: keeper[.bodyBytes]))
    #expect(!keeper.allows(.bodyBytes, of: keeper[.bodyBytes] + 1))
    keeper.didRefuse(.sockets)
    let counts = Dictionary(uniqueKeysWithValues: keeper.refusals.map { ($0.budget, $0.count) })
    #expect(counts[.sockets] == 2)
    #expect(counts[.bodyBytes] == 1)
    #expect(counts.count == Budget.allCases.count)
    #expect(counts.values.reduce(0, +) == 3)
  }

  @Test func `metrics tell how often each budget was met`() async throws {
    try await TestServer.with(configure: {
      $0.metrics = .tcp(host: "127.0.0.1", port: 0)
      $0.budgets[.searchesPerPerson] = 1
    }) { server in
      let ana = try await Person.signUp("ana", on: server)
      for _ in 0..<3 { _ = try await ana.client.call(SearchPeople(query: "an")) }
      let url = try #require(server.server.operatorAddress?.url)
      let page = try await RawClient(url: url, key: "").send(.GET, "/metrics")
      let text = String(decoding: page.body, as: UTF8.self)
      #expect(text.contains("rally_budget_refusals_total{budget=\"searches-per-person\"} 2\n"))
      #expect(text.contains("rally_budget_refusals_total{budget=\"sockets\"} 0\n"))
    }
  }
}

extension Substring {
  fileprivate func count(of character: Character) -> Int { count { $0 == character } }
}
