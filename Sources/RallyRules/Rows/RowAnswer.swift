import Foundation
import RallyText
import RallyWire

/// The answer to a query: a page, and its range among all rows.
///
/// A page ends early if its rows would exceed the budget `answer-bytes`; clients continue after the
/// rows received until none arrives. At least one row is sent.
package struct RowAnswer {
  package let query: RowQuery
  package let preferences: Preferences
  var budgets = BudgetKeeper()
  /// The maximum number of rows.
  var bound = Int.max

  package init(
    query: RowQuery, preferences: Preferences, budgets: BudgetKeeper = BudgetKeeper(),
    bound: Int = .max
  ) {
    self.query = query
    self.preferences = preferences
    self.budgets = budgets
    self.bound = bound
  }

  /// The index of the first row.
  private var first: Int { max(query.offset, preferences.range.first) }

  /// The index after the last possible row.
  private var end: Int {
    let ends = [
      query.limit.map { RowAnswer.sum(query.offset, $0) },
      preferences.range.last.map { RowAnswer.sum($0, 1) },
    ]
    return ends.compactMap(\.self).reduce(RowAnswer.sum(first, bound), min)
  }

  /// How many rows suffice for the response if they are read in order and all match.
  package var reach: Int { preferences.counts ? .max : end }

  /// A part of the rows as JSON.
  package struct Page {
    package let data: Data
    /// The rows' indexes among all: `0-4`, or `*` for none.
    package let range: String
    /// How many rows there are.
    package let total: Int
    /// Whether there are more.
    package let isPartial: Bool
  }

  /// - Parameter rows: All rows that the reader may see.
  /// - Throws: `PGRST103` if the page begins after the last row, `PGRST116` if exactly one row was
  ///   requested and there is not exactly one.
  package func page(of rows: [JSONRow]) throws -> Page {
    let rows = query.matching(rows)
    if preferences.counts, first > rows.count {
      throw FunctionFailure.badRange(
        "An offset of \(first) was requested, but there are only \(rows.count) rows.")
    }
    let start = min(first, rows.count)
    let page = rows[start..<max(start, min(end, rows.count))]
    let (data, count) = try preferences.isSingle ? encoded(onlyRowOf: page) : encoded(page)
    let range = count == 0 ? "*" : "\(start)-\(start + count - 1)"
    return Page(
      data: data, range: range, total: rows.count,
      isPartial: preferences.counts && count < rows.count)
  }

  /// The rows that fit into a response, as JSON, and their number.
  func encoded(_ page: ArraySlice<JSONRow>) -> (Data, count: Int) {
    var data = Data("[".utf8)
    var count = 0
    for row in page {
      let text = JSONWriter.bytes(of: .object(shaped(row)))
      if count > 0 {
        // Counts a comma before the row and the closing bracket.
        guard budgets.allows(.answerBytes, of: data.count + text.count + 2) else { break }
        data.append(UInt8(ascii: ","))
      }
      data += text
      count += 1
    }
    data.append(UInt8(ascii: "]"))
    return (data, count)
  }

  private func encoded(onlyRowOf page: ArraySlice<JSONRow>) throws -> (Data, count: Int) {
    guard let row = page.first, page.count == 1 else {
      throw FunctionFailure(
        code: "PGRST116", message: "Cannot coerce the result to a single JSON object",
        details: "The result contains \(page.count) rows")
    }
    return (Data(JSONWriter.bytes(of: .object(shaped(row)))), 1)
  }

  /// Adds without overflow.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, isTooMuch) = a.addingReportingOverflow(b)
    return isTooMuch ? .max : sum
  }

  package func shaped(_ row: JSONRow) -> JSONRow {
    let row = query.selection(row)
    return preferences.stripsNulls ? row.filter { $0.value != .null } : row
  }
}
