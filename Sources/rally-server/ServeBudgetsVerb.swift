import RallyCommand
import RallyRules
import RallyServer

extension ServeBudgetsVerb: PerformedVerb {
  /// One budget for `--json`.
  private struct Line: Encodable {
    var name: String
    var actor: String
    var value: Int
    var resource: String
    var summary: String
  }

  func perform() throws {
    let output = Output(options: global)
    let lines = Budget.allCases.map { budget in
      let row = budget.row
      return Line(
        name: budget.rawValue, actor: row.actor.rawValue, value: row.standard,
        resource: row.resource.rawValue, summary: row.summary)
    }
    if global.json { return try output.json(lines) }
    output.table(
      lines.map { [$0.name, $0.actor, "\($0.value) \($0.resource)", $0.summary] },
      headings: ["budget", "of", "limit", "what it limits"])
  }
}
