import Foundation
import HTTPTypes
import Hummingbird
import RallyRules
import RallyText
import RallyWire

extension RowAnswer {
  /// - Parameter rows: All rows that the reader may see.
  /// - Throws: As `page(of:)`.
  func response(to rows: [JSONRow]) throws -> Response {
    let page = try page(of: rows)
    return json(
      page.data, status: page.isPartial ? .partialContent : .ok,
      headers: headers(page.range, of: page.total))
  }

  func response(toOne row: JSONRow) -> Response { response(toValue: .object(shaped(row))) }

  func response(toValue value: JSONValue) -> Response {
    json(Data(JSONWriter.bytes(of: value)), headers: headers("0-0", of: 1))
  }

  func responseToNothing() -> Response {
    Response(status: .noContent, headers: headers("*", of: 0))
  }

  /// `Content-Range` and `Preference-Applied`.
  private func headers(_ range: String, of total: Int) -> HTTPFields {
    var headers: HTTPFields = [
      .contentRange: "\(range)/\(preferences.counts ? String(total) : "*")"
    ]
    if !preferences.applied.isEmpty {
      headers[.preferenceApplied] = preferences.applied.joined(separator: ", ")
    }
    return headers
  }

  private func json(
    _ data: Data, status: HTTPResponse.Status = .ok, headers: HTTPFields
  ) -> Response {
    let type = preferences.isSingle ? "vnd.pgrst.object+json" : "json"
    return .json(data, status: status, type: "application/\(type); charset=utf-8", headers: headers)
  }
}
