extension Budget {
  /// The whole table for `docs/serve.md`, with the standard values.
  public static var markdown: String {
    let lines = allCases.map { budget in
      let row = budget.row
      return "| `\(budget.rawValue)` | \(row.actor.rawValue) | \(row.standard) |"
        + " \(row.resource.rawValue) | \(row.summary) |"
    }
    return (["| budget | of each | value | counts | beyond it |", "|---|---|---|---|---|"] + lines)
      .joined(separator: "\n")
  }
}
