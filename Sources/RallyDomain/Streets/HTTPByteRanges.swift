import RallyClient
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
  public func version() async throws -> String? { try await known().version }

  /// In bytes.
  ///
  /// - Throws: As `bytes`.
  public func length() async throws -> UInt64 { try await known().length }

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
  private func known() async throws -> Facts {
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
