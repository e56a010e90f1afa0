import FoundationEssentials
import RallyText
import RallyWire

/// Shared by all clients of one user on one server: address, session, socket.
final class ServerConnection: Sendable {
  let transport: Transport
  let addresses: ServerLocator
  let keeper: SessionKeeper
  let realtime: RealtimeConnection
  /// How long each change waits for the server's rate limit.
  let waits = EventSource<Duration>()

  init(
    tokens: TokenStore?, transport: Transport, now: @escaping @Sendable () -> WireTime,
    prepare: @escaping @Sendable () async throws -> ServerAddress
  ) {
    let addresses = ServerLocator(prepare: prepare)
    let keeper = SessionKeeper(store: tokens, now: now) { refreshToken in
      let body = try WireJSON.encode(RefreshGrantBody(refreshToken: refreshToken))
      let answer = try await Self.send(
        Request(path: "/auth/v1/token?grant_type=refresh_token", body: body, isRepeatable: true),
        bearer: nil, addresses: addresses, transport: transport)
      return try Self.session(answer)
    }
    self.transport = transport
    self.addresses = addresses
    self.keeper = keeper
    realtime = RealtimeConnection(
      source: RealtimeSource(
        open: {
          try await addresses.attempt(repeating: { _, _ in .elsewhere }) { address in
            let path = "\(RealtimeTopic.path)?apikey=\(Self.escaped(address.key))&vsn=1.0.0"
            return try await transport.openSocket(
              SocketCall(endpoint: address.endpoint, path: path))
          }
        },
        token: { rejected in
          if let rejected { return try await keeper.token(insteadOf: rejected) }
          return try await keeper.token()
        },
        sessionEvents: { keeper.events.stream() },
        isSignedIn: { await keeper.current() != nil }))
  }

  /// A request to the server.
  struct Request: Sendable {
    var method: HTTPCall.Method = .post
    var path: String
    /// In addition to the headers of every request.
    var headers: [(String, String)] = []
    var body: Data?
    /// Whether it is idempotent.
    var isRepeatable = false
    var timeout: Duration = .seconds(15)
  }

  /// Sends with the user's token; an expired token is refreshed once.
  func sendAsPerson(_ request: Request) async throws -> HTTPAnswer {
    let token = try await keeper.token()
    let answer = try await send(request, bearer: token.text)
    guard Self.callsTokenOld(answer) else { return answer }
    let renewed = try await keeper.token(insteadOf: token.text)
    return try await send(request, bearer: renewed.text)
  }

  /// Sends with the given token, or without a session.
  func send(_ request: Request, bearer: String?) async throws -> HTTPAnswer {
    try await Self.send(request, bearer: bearer, addresses: addresses, transport: transport)
  }

  private static func send(
    _ request: Request, bearer: String?, addresses: ServerLocator, transport: Transport
  ) async throws -> HTTPAnswer {
    try await addresses.attempt(
      repeating: { error, address in
        switch error {
        // It was not sent.
        case .unreachable: address.endpoint.isLocalSocket ? .anywhere : .elsewhere
        case .connectionLost where request.isRepeatable: .anywhere
        case .timedOut where request.isRepeatable: .elsewhere
        default: .nowhere
        }
      },
      { try await transport.send(call(request, to: $0, bearer: bearer)) })
  }

  private static func call(
    _ request: Request, to address: ServerAddress, bearer: String?
  ) -> HTTPCall {
    HTTPCall(
      endpoint: address.endpoint, method: request.method, path: request.path,
      headers: [
        ("apikey", address.key),
        ("Authorization", "Bearer \(bearer ?? address.key)"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json"),
        (AuthFailure.versionHeader, AuthFailure.version),
        ("X-Client-Info", "rally/\(RallyVersion.current)"),
      ] + request.headers,
      body: request.body, timeout: request.timeout)
  }

  /// The part of a query value, percent-encoded.
  static func escaped(_ text: String) -> String { text.percentEncoded() }

  // MARK: - Answers

  private static func callsTokenOld(_ answer: HTTPAnswer) -> Bool {
    guard answer.status == 401 else { return false }
    let failure = try? WireJSON.decode(FunctionFailure.self, from: answer.body)
    return failure?.code == "PGRST301" || failure?.code == "PGRST303"
  }

  /// The session of a sign-up, a sign-in or a refresh.
  static func session(_ answer: HTTPAnswer) throws -> AuthSession {
    guard answer.status == 200 else { throw refusal(answer) }
    do {
      return try WireJSON.decode(AuthSession.self, from: answer.body)
    } catch {
      throw NetworkError.invalidResponse
    }
  }

  /// The error of a response, from its body: PostgREST's format, GoTrue's, or neither.
  static func refusal(_ answer: HTTPAnswer) -> NetworkError {
    if answer.status == 429 {
      let seconds = answer.headers["retry-after"].flatMap(Int.init)
      return .rateLimited(retryAfter: seconds.map { .seconds($0) })
    }
    let body = try? WireJSON.decode(RefusalBody.self, from: answer.body)
    guard let body, let message = body.message ?? body.msg else {
      return .http(status: answer.status)
    }
    if let code = body.errorCode ?? body.code?.string {
      if body.isFunctionFailure || answer.headers["proxy-status"] != nil {
        return .refused(
          FunctionFailure(code: code, message: message, details: body.details, hint: body.hint),
          status: answer.status)
      }
      return .auth(
        AuthFailure(AuthFailureCode(rawValue: code), message), status: answer.status)
    }
    return answer.status == 401 ? .invalidKey : .http(status: answer.status)
  }

  private struct RefusalBody: Decodable {
    var code: JSONValue?
    var errorCode: String?
    var message: String?
    var msg: String?
    var details: String?
    var hint: String?
    /// PostgREST always writes `details`, even as null; GoTrue never does.
    var isFunctionFailure: Bool

    enum CodingKeys: String, CodingKey {
      case code, message, msg, details, hint
      case errorCode = "error_code"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      code = try container.decodeIfPresent(JSONValue.self, forKey: .code)
      errorCode = try container.decodeIfPresent(String.self, forKey: .errorCode)
      message = try container.decodeIfPresent(String.self, forKey: .message)
      msg = try container.decodeIfPresent(String.self, forKey: .msg)
      details = (try? container.decodeIfPresent(String.self, forKey: .details)) ?? nil
      hint = (try? container.decodeIfPresent(String.self, forKey: .hint)) ?? nil
      isFunctionFailure = container.contains(.details)
    }
  }
}

extension ServerEndpoint {
  fileprivate var isLocalSocket: Bool {
    if case .unixSocket = self { true } else { false }
  }
}
