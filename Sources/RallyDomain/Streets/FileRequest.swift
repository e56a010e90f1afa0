import RallyClient
import RallyWire

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
