import FoundationEssentials
import RallySystem
import RallyText
import RallyWire
import Synchronization

/// Shared by all clients of one user on one server: address, session, socket.
package final class ServerConnection: Sendable {
  let transport: Transport
  let addresses: ServerLocator
  package let keeper: SessionKeeper
  package let realtime: RealtimeConnection
  private let answers: ServerAnswers
  let reads: JoinedReads
  /// How long each change waits for the server's rate limit.
  let waits = EventSource<Duration>()

  package init(
    tokens: TokenStore?, transport: Transport, now: @escaping @Sendable () -> WireTime,
    prepare: @escaping @Sendable () async throws -> ServerAddress
  ) {
    let addresses = ServerLocator(prepare: prepare)
    let answers = ServerAnswers()
    let keeper = SessionKeeper(store: tokens, now: now) { refreshToken in
      let body = try WireJSON.encode(RefreshGrantBody(refreshToken: refreshToken))
      return try await Self.send(
        Request(path: "/auth/v1/token?grant_type=refresh_token", body: body, isRepeatable: true),
        bearer: nil, addresses: addresses, transport: transport, answers: answers
      ).decoded(AuthSession.self)
    }
    self.transport = transport
    self.answers = answers
    reads = JoinedReads(owner: { await keeper.current()?.user.id })
    self.addresses = addresses
    self.keeper = keeper
    realtime = RealtimeConnection(
      source: RealtimeSource(
        open: {
          try await addresses.attempt(repeating: { _, _ in .elsewhere }) { address in
            let path = "\(RealtimeTopic.path)?apikey=\(Self.escaped(address.key))&vsn=1.0.0"
            return try await answers.open(
              SocketCall(endpoint: address.endpoint, path: path), over: transport)
          }
        },
        token: { rejected in
          if let rejected { return try await keeper.token(insteadOf: rejected) }
          return try await keeper.token()
        },
        sessionEvents: { keeper.events.stream() },
        isSignedIn: { await keeper.current() != nil }))
  }

  package struct Request: Sendable {
    var method: HTTPCall.Method = .post
    var path: String
    /// In addition to the headers of every request.
    var headers: [(String, String)] = []
    package var body: Data?
    /// Whether it is idempotent.
    var isRepeatable = false
    /// What a success looks like.
    package var success = ServerAnswers.Success.json
    package var timeout: Duration = .seconds(15)

    package init(
      method: HTTPCall.Method = .post, path: String, headers: [(String, String)] = [],
      body: Data? = nil, isRepeatable: Bool = false, success: ServerAnswers.Success = .json,
      timeout: Duration = .seconds(15)
    ) {
      (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
      (self.isRepeatable, self.success, self.timeout) = (isRepeatable, success, timeout)
    }
  }

  /// Sends with the user's token; an expired token is refreshed once.
  ///
  /// - Throws: As `ServerAnswers.send`.
  package func sendAsPerson(_ request: Request) async throws -> ServerAnswer {
    let token = try await keeper.token()
    do {
      return try await send(request, bearer: token.text)
    } catch NetworkError.refused(let failure, 401)
      where failure.code == "PGRST301" || failure.code == "PGRST303"
    {
      let renewed = try await keeper.token(insteadOf: token.text)
      return try await send(request, bearer: renewed.text)
    }
  }

  /// Sends with the given token, or without a session.
  ///
  /// - Throws: As `ServerAnswers.send`.
  package func send(_ request: Request, bearer: String?) async throws -> ServerAnswer {
    try await Self.send(
      request, bearer: bearer, addresses: addresses, transport: transport, answers: answers)
  }

  private static func send(
    _ request: Request, bearer: String?, addresses: ServerLocator, transport: Transport,
    answers: ServerAnswers
  ) async throws -> ServerAnswer {
    try await addresses.attempt(
      repeating: { error, address in
        switch error {
        // It was not sent.
        case .unreachable: address.endpoint.isLocalSocket ? .anywhere : .elsewhere
        case .connectionLost where request.isRepeatable: .anywhere
        case .timedOut where request.isRepeatable: .elsewhere
        case .notTheServer where request.isRepeatable: .elsewhere
        default: .nowhere
        }
      },
      {
        try await answers.send(
          call(request, to: $0, bearer: bearer), as: request.success, over: transport)
      })
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
}

extension ServerEndpoint {
  fileprivate var isLocalSocket: Bool {
    if case .unixSocket = self { true } else { false }
  }
}

/// Caches the server's address, and looks it up again when the server is gone.
///
/// Concurrent calls share one look-up, which may have to start the embedded server.
package actor ServerLocator {
  /// Where a failed request may be sent again.
  enum Repetition: Sendable {
    case nowhere
    /// At an address that was not tried.
    case elsewhere
    /// Also once more at the same address.
    case anywhere
  }

  private let prepare: @Sendable () async throws -> ServerAddress
  private var address: ServerAddress?
  private var preparing: Task<ServerAddress, any Error>?

  init(prepare: @escaping @Sendable () async throws -> ServerAddress) { self.prepare = prepare }

  func current() async throws -> ServerAddress {
    if let address { return address }
    if let preparing { return try await preparing.value }
    let prepare = self.prepare
    let task = Task { try await prepare() }
    preparing = task
    defer { preparing = nil }
    let prepared = try await task.value
    address = prepared
    return prepared
  }

  /// Forgets an address that does not respond; the next call looks it up again.
  private func forget(_ failed: ServerAddress) {
    if address == failed { address = nil }
  }

  /// Runs a request at the server's address, and again where it fails and may be repeated. The
  /// address may have changed, the embedded server may have ended, or there are others.
  ///
  /// - Throws: The error of the last attempt.
  nonisolated func attempt<T>(
    repeating repetition: (NetworkError, ServerAddress) -> Repetition,
    _ request: (ServerAddress) async throws -> T
  ) async throws -> T {
    var tried: [ServerAddress] = []
    while true {
      let address = try await current()
      do {
        return try await request(address)
      } catch let error as NetworkError where error.isOffline {
        await forget(address)
        tried.append(address)
        switch repetition(error, address) {
        case .nowhere: throw error
        case .anywhere where tried.count == 1: break
        case .anywhere, .elsewhere:
          guard let next = try? await current(), !tried.contains(next) else { throw error }
        }
      }
    }
  }
}

/// Sends calls, and decides for every one of them whether an answer is the server's own: its
/// success, its refusal, or what something else on the way says.
///
/// A captive portal, a proxy with a page of its own and a cache answer with any status. Only an
/// answer that repeats the random value of its request (`AnswerMark`) is certainly the server's.
/// Until a server has marked an answer it may be an older one, or Supabase's own: then the answer
/// counts if it looks like one in status, type and content. Everything else means that the server
/// was not reached.
package final class ServerAnswers: Sendable {
  /// What a success looks like.
  package enum Success: Sendable {
    /// 204 without a body.
    case nothing
    /// 200 or 206 with JSON.
    case json
    /// One or the other.
    case jsonOrNothing
    /// 101: a WebSocket.
    case upgrade
  }

  /// Servers that have marked an answer: from then on nothing else is theirs.
  private let marking = Mutex<Set<ServerEndpoint>>([])

  package init() {}

  /// - Returns: The server's own answer, a success of that kind.
  /// - Throws: `NetworkError` or `CancellationError`. The server's refusal is `.refused`, `.auth`,
  ///   `.rateLimited`, `.invalidKey` or `.http`; an answer of something else `.notTheServer`,
  ///   `.moved`, or `.rateLimited` where that asks to wait.
  package func send(
    _ call: HTTPCall, as success: Success, over transport: Transport
  ) async throws -> ServerAnswer {
    var call = call
    let mark = AnswerMark.random()
    call.headers.append((AnswerMark.requestHeader, mark))
    let answer = try await transport.send(call)
    return try accept(answer, as: success, mark: mark, from: call.endpoint, path: call.path)
  }

  /// Opens a WebSocket.
  ///
  /// - Throws: As `send`.
  func open(_ call: SocketCall, over transport: Transport) async throws -> SocketLink {
    var call = call
    let mark = AnswerMark.random()
    call.headers.append((AnswerMark.requestHeader, mark))
    let link: SocketLink
    let answer: HTTPAnswer
    do {
      link = try await transport.openSocket(call)
      answer = link.answer
    } catch let refusal as UpgradeRefusal {
      _ = try accept(
        refusal.answer, as: .upgrade, mark: mark, from: call.endpoint, path: call.path)
      throw NetworkError.invalidResponse
    }
    do {
      _ = try accept(answer, as: .upgrade, mark: mark, from: call.endpoint, path: call.path)
      return link
    } catch {
      link.close()
      throw error
    }
  }

  /// The one place that distinguishes the server's answers from those of others.
  private func accept(
    _ answer: HTTPAnswer, as success: Success, mark: String, from endpoint: ServerEndpoint,
    path: String
  ) throws(NetworkError) -> ServerAnswer {
    let isMarked = answer.headers[AnswerMark.answerHeader.lowercased()] == mark
    let isKnownToMark = marking.withLock { marking in
      if isMarked { marking.insert(endpoint) }
      return marking.contains(endpoint)
    }
    let isSuccess = success.includes(answer.status)
    guard isMarked || !isKnownToMark && Self.looksOwn(answer, isSuccess: isSuccess) else {
      throw Self.foreign(answer, at: endpoint, path: path)
    }
    guard isSuccess || isMarked && (200..<300).contains(answer.status) else {
      throw Self.refusal(answer)
    }
    return ServerAnswer(answer, isMarked: isMarked)
  }

  // MARK: - Servers without marks

  /// Whether an answer without a mark has the form of a server's: no body where there is none to
  /// be, else JSON, and for a refusal one of the known forms.
  private static func looksOwn(_ answer: HTTPAnswer, isSuccess: Bool) -> Bool {
    switch answer.status {
    case 101: isSuccess
    case 204: isSuccess && answer.body.isEmpty
    case 200..<300: isSuccess && answer.isJSON
    case 300..<400: false
    default:
      switch refusal(answer) {
      case .refused, .auth, .rateLimited, .invalidKey: answer.isJSON
      default: false
      }
    }
  }

  // MARK: - Answers of others

  /// The error of an answer that is not the server's.
  private static func foreign(
    _ answer: HTTPAnswer, at endpoint: ServerEndpoint, path: String
  ) -> NetworkError {
    switch answer.status {
    case 300..<400:
      guard case .url(let old) = endpoint,
        let new = newAddress(answer.headers["location"], from: old, path: path), new != old
      else { return .notTheServer(status: answer.status) }
      return .moved(to: new, isSameHost: new.host == old.host)
    // Whoever asks to wait is believed: nothing is lost by waiting.
    case 429: return .rateLimited(retryAfter: retryAfter(answer))
    default: return .notTheServer(status: answer.status)
    }
  }

  /// The server's address after a redirect. Nil for one to another page, such as that of a portal:
  /// it has neither the call's path at its end nor the host of the server.
  private static func newAddress(
    _ location: String?, from old: ServerURL, path: String
  ) -> ServerURL? {
    guard let location, location.contains("://") else { return nil }
    let place = location.prefix { $0 != "?" && $0 != "#" }
    let path = path.prefix { $0 != "?" }
    if place.hasSuffix(path) { return try? ServerURL(String(place.dropLast(path.count))) }
    guard let url = try? ServerURL(String(place)), url.isSecure, !old.isSecure, url.host == old.host
    else { return nil }
    return try? ServerURL("https://\(url.authority)\(old.path)")
  }

  /// How long to wait, in seconds or until a time: RFC 9110, section 10.2.3.
  package static func retryAfter(_ answer: HTTPAnswer) -> Duration? {
    guard let text = answer.headers["retry-after"]?.trimmed else { return nil }
    if let seconds = Int(text) { return seconds >= 0 ? .seconds(seconds) : nil }
    guard let time = WireTime(httpDate: text) else { return nil }
    // By the clock of who wrote it, where that is said.
    let now = answer.headers["date"].flatMap(WireTime.init(httpDate:)) ?? .now
    return max(.zero, .seconds(Int(time.since(now).inSeconds.rounded(.up))))
  }

  // MARK: - Refusals

  /// The error of the server's own response, from its body: PostgREST's format, GoTrue's, or neither.
  static func refusal(_ answer: HTTPAnswer) -> NetworkError {
    if answer.status == 429 { return .rateLimited(retryAfter: retryAfter(answer)) }
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

/// A success of the server's own.
package struct ServerAnswer: Sendable {
  package let status: Int
  /// Names in lower case.
  let headers: [String: String]
  package let body: Data
  private let isMarked: Bool

  init(_ answer: HTTPAnswer, isMarked: Bool) {
    status = answer.status
    headers = answer.headers
    body = answer.body
    self.isMarked = isMarked
  }

  /// The answer to one of several reads that this answers, as the function alone would give it.
  ///
  /// - Parameter count: How many rows it has; nil for another value.
  func part(_ body: Data, isWhole: Bool, offset: Int, count: Int?) -> ServerAnswer {
    var headers: [String: String] = [:]
    if let count {
      let end = offset + count
      let range = count == 0 ? "*" : "\(offset)-\(end - 1)"
      headers["content-range"] = "\(range)/\(isWhole ? end : end + 1)"
    }
    return ServerAnswer(
      HTTPAnswer(status: status, headers: headers, body: body), isMarked: isMarked)
  }

  /// - Throws: `NetworkError.invalidResponse` for other content; `.notTheServer` where nothing but
  ///   its content could have shown that it is the server's.
  package func decoded<Value: Decodable>(_ type: Value.Type) throws(NetworkError) -> Value {
    do {
      return try WireJSON.decode(type, from: body)
    } catch {
      throw isMarked ? .invalidResponse : .notTheServer(status: status)
    }
  }
}

extension ServerAnswers.Success {
  fileprivate func includes(_ status: Int) -> Bool {
    switch self {
    case .nothing: status == 204
    case .json: status == 200 || status == 206
    case .jsonOrNothing: status == 200 || status == 204
    case .upgrade: status == 101
    }
  }
}

extension HTTPAnswer {
  /// Whether its type is JSON: `application/json`, or one that ends with `+json`.
  fileprivate var isJSON: Bool {
    let type = (headers["content-type"] ?? "").prefix { $0 != ";" }.lowercased()
    return type.hasPrefix("application/") && (type.hasSuffix("/json") || type.hasSuffix("+json"))
  }
}
