import FoundationEssentials
import RallyClient
import RallySystem
import RallyWire

/// A file on a web server of which parts are requested, over the same connections and by the same
/// rules for TLS as the server's.
///
/// One request at a time. Every answer is checked: that it is the part that was asked for, of the
/// same file as before.
public actor HTTPByteRanges {
  /// The address without its query, which can be a signature that is another one tomorrow.
  public nonisolated let place: String
  private let request: FileRequest
  /// Sent to the server that was asked first, and to no other.
  private let ownHeaders: (server: ServerURL, headers: [(name: String, value: String)])
  /// The token of who asks, for that server alone; anew for each request, since it ends.
  private let token: @Sendable () async throws -> String?
  /// After redirects.
  private var address: FileAddress
  private var facts: Facts?

  /// What must be the same in every answer.
  private struct Facts: Hashable {
    let length: UInt64
    /// `ETag`, or else `Last-Modified`.
    let version: String?
  }

  /// - Parameters:
  ///   - url: http or https.
  ///   - allowsPlain: Whether http is used on a public network too.
  ///   - timeout: How long connecting and the headers of one answer may take; its body may take
  ///     three times as long.
  /// - Throws: `FieldProblem` for anything but such an address.
  public init(
    url: String, allowsPlain: Bool = false, transport: Transport = .live,
    timeout: Duration = .seconds(30)
  ) throws(FieldProblem) {
    let address = try FileAddress(url)
    self.address = address
    place = "\(address.server)\(address.path.prefix { $0 != "?" })"
    request = FileRequest(transport: transport, allowsPlain: allowsPlain, timeout: timeout)
    ownHeaders = (address.server, [])
    token = { nil }
  }

  /// The streets that a server of Rally offers to its group.
  ///
  /// - Parameters:
  ///   - key: The server's API key.
  ///   - token: The access token of who asks; nil for nobody, whom the server refuses.
  public init(
    offeredBy server: ServerURL, key: String, allowsPlain: Bool, transport: Transport = .live,
    token: @escaping @Sendable () async throws -> String?
  ) {
    address = FileAddress(server: server, path: StreetsOffer.path)
    place = "\(server)\(StreetsOffer.path)"
    request = FileRequest(transport: transport, allowsPlain: allowsPlain)
    ownHeaders = (server, [("apikey", key)])
    self.token = token
  }

  /// - Throws: As `bytes`.
  public func version() async throws -> String? { try await currentFacts().version }

  /// In bytes.
  ///
  /// - Throws: As `bytes`.
  public func length() async throws -> UInt64 { try await currentFacts().length }

  /// - Parameter range: Not empty, at most 8 MiB.
  /// - Throws: `RangeProblem`, `NetworkError`, or `CancellationError`.
  public func bytes(_ range: Range<UInt64>) async throws -> [UInt8] {
    let answer = try await answer(range)
    switch answer.status {
    case 206: break
    case 200: throw RangeProblem.ignored
    case 401, 403, 404, 410: throw RangeProblem.missing(status: answer.status)
    case 412, 416: throw facts == nil ? RangeProblem.wrong : .changed
    case 429: throw NetworkError.rateLimited(retryAfter: ServerAnswers.retryAfter(answer))
    default: throw NetworkError.http(status: answer.status)
    }
    guard let part = ContentByteRange(answer.headers["content-range"]), part.bytes == range,
      answer.body.count == range.count,
      ["", "identity"].contains(answer.headers["content-encoding"] ?? "")
    else { throw RangeProblem.wrong }
    let found = Facts(
      length: part.length, version: answer.headers["etag"] ?? answer.headers["last-modified"])
    guard found == facts ?? found else { throw RangeProblem.changed }
    facts = found
    return Array(answer.body)
  }

  /// Length and version, by asking for one byte.
  private func currentFacts() async throws -> Facts {
    if let facts { return facts }
    _ = try await bytes(0..<1)
    guard let facts else { throw RangeProblem.wrong }
    return facts
  }

  private func answer(_ range: Range<UInt64>) async throws -> HTTPAnswer {
    var place = address
    var own = ownHeaders
    if let token = try await token() { own.headers.append(("Authorization", "Bearer \(token)")) }
    let answer = try await request.send(
      to: &place, headers: [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")],
      own: own, bodyStatus: 206)
    address = place
    return answer
  }
}

/// Requests of files on web servers, by the same rules for TLS as the server's; redirects are
/// followed.
struct FileRequest: Sendable {
  let transport: Transport
  /// Whether http is used on a public network too.
  let allowsPlain: Bool
  /// How long connecting and the headers of an answer may take.
  var timeout = Duration.seconds(30)

  private static let mostRedirects = 5

  /// - Parameters:
  ///   - address: Afterwards, where redirects have led.
  ///   - headers: Sent to the server at `address`, and to others but for `own`.
  ///   - own: Sent to this server alone.
  ///   - bodyStatus: The only status whose body is read.
  /// - Throws: `NetworkError`, `RangeProblem.redirected`, `CancellationError`.
  func send(
    to address: inout FileAddress, headers: [(name: String, value: String)],
    own: (server: ServerURL, headers: [(name: String, value: String)])? = nil, bodyStatus: Int
  ) async throws -> HTTPAnswer {
    for _ in 0...Self.mostRedirects {
      if !allowsPlain { try await PlainHTTP.require(privacyOf: address.server) }
      var call = HTTPCall(
        endpoint: .url(address.server), method: .get, path: address.path,
        headers: [("Accept-Encoding", "identity")] + headers
          + (address.server == own?.server ? own?.headers ?? [] : []),
        timeout: timeout)
      call.bodyStatus = bodyStatus
      let answer = try await transport.send(call)
      guard [301, 302, 303, 307, 308].contains(answer.status) else { return answer }
      address = try address.redirected(to: answer.headers["location"])
    }
    throw RangeProblem.redirected
  }
}

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

/// The bytes of a response and the file's length, from the header `Content-Range` of a file server.
struct ContentByteRange: Hashable, Sendable {
  let bytes: Range<UInt64>
  /// Of the whole file.
  let length: UInt64

  /// - Parameter text: `bytes 0-99/1234`.
  /// - Returns: Nil for anything else, and if the length is unknown.
  init?(_ text: String?) {
    let words = (text ?? "").split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(whereSeparator: { $0 == "-" || $0 == "/" }).map { UInt64($0) }
    guard parts.count == 3, let first = parts[0], let last = parts[1], let length = parts[2],
      first <= last, last < length
    else { return nil }
    bytes = first..<last + 1
    self.length = length
  }
}

/// Why parts of a file on a web server cannot be had.
public enum RangeProblem: ReportableError, Hashable, Sendable {
  /// The server sends the whole file only.
  case ignored
  /// The server sent something else than what was asked for.
  case wrong
  /// The file is another one than at the first request.
  case changed
  /// There is no file, or it is not for everybody; the HTTP status.
  case missing(status: Int)
  /// The address leads elsewhere too often, or from https to http.
  case redirected

  /// What failed and what to do.
  public var sentence: String {
    switch self {
    case .ignored:
      "The server does not send parts of files. Download the whole file, then add it from there."
    case .wrong: "The server sent another part of the file than it was asked for."
    case .changed: "The file changed on the server in between."
    case .missing(let status): "The server has no such file for everybody (HTTP \(status))."
    case .redirected: "The address leads elsewhere, and not to a file that can be fetched safely."
    }
  }
}
