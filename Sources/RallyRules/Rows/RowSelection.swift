import RallyText
import RallyWire

/// The selected columns of a row, with their output names.
struct RowSelection: Hashable, Sendable {
  private struct Term: Hashable, Sendable {
    let column: String
    let name: String
  }

  /// The maximum number of columns.
  static let limit = 100

  /// nil selects all.
  private let terms: [Term]?

  static let everything = RowSelection()

  private init() { terms = nil }

  /// Reads `a,name:b,*`.
  ///
  /// - Throws: `PGRST200` for other tables, `PGRST100` for casts, `42703` for an unknown column.
  init(_ text: String, in relation: RowRelation) throws {
    let text = String(text.filter { !" \n\t".contains($0) })
    if let bracket = text.firstIndex(of: "(") {
      let name = text[..<bracket].split { ",:!.".contains($0) }.last ?? ""
      throw FunctionFailure(
        code: "PGRST200",
        message: "Could not find a relationship between '\(relation.name)' and '\(name)' in the"
          + " schema cache",
        details: "Rows of other tables are not offered; ask for them in a request of their own.")
    }
    let parts = text.split(separator: ",")
    guard !parts.isEmpty, parts != ["*"] else {
      self = .everything
      return
    }
    guard parts.count <= RowSelection.limit else {
      throw FunctionFailure(
        code: FunctionFailure.badQuery,
        message: "At most \(RowSelection.limit) columns are selected.")
    }
    var terms: [Term] = []
    for part in parts {
      if part == "*" {
        terms += relation.columns.map { Term(column: $0.name, name: $0.name) }
        continue
      }
      let words = part.split(separator: ":", omittingEmptySubsequences: false)
        .map(RowRelation.unquoted)
      guard (1...2).contains(words.count), let column = words.last, !words.contains(""),
        !part.contains("->")
      else { throw FunctionFailure.unparsable("select parameter", text, "a column or name:column") }
      _ = try relation.type(of: column)
      terms.append(Term(column: column, name: words[0]))
    }
    self.terms = terms
  }

  func callAsFunction(_ row: JSONRow) -> JSONRow {
    guard let terms else { return row }
    return terms.reduce(into: [:]) { $0[$1.name] = row[$1.column] ?? .null }
  }
}
