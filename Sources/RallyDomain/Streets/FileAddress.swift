import FoundationEssentials
import RallyClient
import RallyWire

/// The address of a file on a web server.
struct FileAddress: Hashable, Sendable {
  let server: ServerURL
  /// With the query, starting with a slash.
  let path: String

  init(server: ServerURL, path: String) {
    self.server = server
    self.path = path
  }

  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  init(_ text: String) throws(FieldProblem) {
    guard let parts = URLComponents(string: text), let host = parts.host, parts.user == nil,
      parts.password == nil
    else {
      throw FieldProblem(
        field: .server, advice: "Write an address like https://example.org/city.pmtiles.")
    }
    var origin = URLComponents()
    origin.scheme = parts.scheme
    origin.host = host
    origin.port = parts.port
    server = try ServerURL(origin.string ?? text)
    let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    self.path = path + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
  }

  /// As a browser has it.
  var text: String { "\(server)\(path)" }

  /// Where a redirect leads.
  ///
  /// - Throws: `RangeProblem.redirected` for a lacking or invalid address, and from https to http.
  func redirected(to location: String?) throws(RangeProblem) -> FileAddress {
    guard let location, let base = URL(string: text),
      let url = URL(string: location, relativeTo: base),
      let next = try? FileAddress(url.absoluteString), next.server.isSecure || !server.isSecure
    else { throw .redirected }
    return next
  }
}
