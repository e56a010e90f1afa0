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

  /// Runs a request at the server's address, and again where it fails and may be repeated: the
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

/// The addresses of one server, each after the one before has failed.
final class AddressRing: Sendable {
  private let urls: [ServerURL]
  private let taken = Atomic(0)

  /// - Parameter urls: At least one.
  init(_ urls: [ServerURL]) { self.urls = urls }

  func next() -> ServerURL {
    urls[taken.wrappingAdd(1, ordering: .relaxed).oldValue % urls.count]
  }
}
