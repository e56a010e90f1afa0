import Foundation
import HTTPTypes
import Hummingbird
import RallyWire

/// The answer to a query: the page that was asked for, its place among all rows, and its status.
///
/// A page ends early where its rows would take more than the budget `answer-bytes`: whoever pages
/// goes on after the rows that came, until none comes. One row is sent however large it is.
struct RowAnswer {
  let query: RowQuery
  let wishes: Preferences
  var budgets = BudgetKeeper()
  /// How many rows are told at most.
  var bound = Int.max

  /// Where the page begins.
  private var first: Int { max(query.offset, wishes.range.first) }

  /// Where it ends at the latest.
  private var end: Int {
    let ends = [
      query.limit.map { RowAnswer.sum(query.offset, $0) },
      wishes.range.last.map { RowAnswer.sum($0, 1) },
    ]
    return ends.compactMap(\.self).reduce(RowAnswer.sum(first, bound), min)
  }

  /// How many rows from the first one on are enough to answer, where they come in order and none of
  /// them is left out.
  var reach: Int { wishes.counts ? .max : end }

  /// - Parameter rows: Everything that the reader may see.
  /// - Throws: `PGRST103` when the page begins after the last row, `PGRST116` when not exactly one
  ///   row is there and one was wanted.
  func response(to rows: [JSONRow]) throws -> Response {
    let rows = query.matching(rows)
    if wishes.counts, first > rows.count {
      throw FunctionFailure.badRange(
        "An offset of \(first) was requested, but there are only \(rows.count) rows.")
    }
    let start = min(first, rows.count)
    let page = rows[start..<max(start, min(end, rows.count))]
    let (data, count) = try wishes.isSingle ? encoded(onlyRowOf: page) : encoded(page)
    let range = count == 0 ? "*" : "\(start)-\(start + count - 1)"
    let status: HTTPResponse.Status =
      wishes.counts && count < rows.count ? .partialContent : .ok
    return json(data, status: status, headers: headers(range, of: rows.count))
  }

  /// As many rows from the first one on as an answer may have, and their number.
  private func encoded(_ page: ArraySlice<JSONRow>) throws -> (Data, count: Int) {
    var data = Data("[".utf8)
    var count = 0
    for row in page {
      let text = try WireJSON.encode(shaped(row))
      if count > 0 {
        // A comma before, a bracket behind.
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
    return (try WireJSON.encode(shaped(row)), 1)
  }

  /// The answer to a function that gives one row, whatever it is asked.
  func response(toOne row: JSONRow) throws -> Response {
    response(toValue: try WireJSON.encode(shaped(row)))
  }

  /// The answer to a function that gives one value.
  func response(toValue data: Data) -> Response { json(data, headers: headers("0-0", of: 1)) }

  /// The answer to a function that gives nothing.
  func responseToNothing() -> Response {
    Response(status: .noContent, headers: headers("*", of: 0))
  }

  /// Both may be as large as an integer gets.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, isTooMuch) = a.addingReportingOverflow(b)
    return isTooMuch ? .max : sum
  }

  private func shaped(_ row: JSONRow) -> JSONRow {
    let row = query.selection(row)
    return wishes.stripsNulls ? row.filter { $0.value != .null } : row
  }

  /// Where the rows lie among all, and which wishes were granted.
  private func headers(_ range: String, of total: Int) -> HTTPFields {
    var headers: HTTPFields = [.contentRange: "\(range)/\(wishes.counts ? String(total) : "*")"]
    if !wishes.applied.isEmpty {
      headers[.preferenceApplied] = wishes.applied.joined(separator: ", ")
    }
    return headers
  }

  private func json(
    _ data: Data, status: HTTPResponse.Status = .ok, headers: HTTPFields
  ) -> Response {
    let type = wishes.isSingle ? "vnd.pgrst.object+json" : "json"
    return .json(
      data, status: status, type: "application/\(type); charset=utf-8", headers: headers)
  }
}
