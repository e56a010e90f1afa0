import FoundationEssentials
import Logging
import RallySystem
import RallyText
import RallyWire
import Synchronization

/// The network service: speaks the Supabase protocol to one server for one user.
///
/// A client uses the connection that it was configured with; `.shared` gets the connection of the
/// running program, and until then every call throws `.notConfigured`.
public final class SupabaseClient: Sendable {
  public static let shared = SupabaseClient()

  private let connection: Mutex<ServerConnection?>
  /// Functions that returned invalid rows; each is logged once.
  private let unreadable = Mutex<Set<String>>([])
  private let log = RallyLog.logger("SupabaseClient")

  /// A client without a server.
  public init() { connection = Mutex(nil) }

  /// - Parameters:
  ///   - tokens: Where the session is stored; nil for in memory only.
  ///   - transport: Sends the requests; tests fail or hold them here.
  ///   - now: The wall clock.
  ///   - prepare: Finds, or starts, the server; called again when it is gone.
  public init(
    tokens: TokenStore?, transport: Transport = .live,
    now: @escaping @Sendable () -> WireTime = { .now },
    prepare: @escaping @Sendable () async throws -> ServerAddress
  ) {
    connection = Mutex(
      ServerConnection(tokens: tokens, transport: transport, now: now, prepare: prepare))
  }

  /// Uses the connection, and so the session, of another client.
  public func stand(on other: SupabaseClient) {
    let shared = other.connection.withLock { $0 }
    connection.withLock { $0 = shared }
  }

  package func configured() throws -> ServerConnection {
    guard let connection = connection.withLock({ $0 }) else { throw NetworkError.notConfigured }
    return connection
  }

  /// The WebSocket to the server; nil if not configured.
  public var realtime: RealtimeConnection? { connection.withLock { $0?.realtime } }

  /// A longer wait fails at once.
  private static let longestWait = Duration.seconds(60)
  /// The longest total wait of one call.
  private static let patience = Duration.seconds(180)

  /// Joins reads that begin at the same moment into one request, as a screen with several lists makes
  /// them; does nothing if not configured.
  public func joinReads() { (try? configured())?.reads.begin() }

  /// How long a change waits for the server's rate limit, one element when each wait begins; ends
  /// at once if not configured.
  public func waits() -> AsyncStream<Duration> {
    (try? configured())?.waits.stream() ?? AsyncStream { $0.finish() }
  }

  /// The access token of who is signed in, for what is no function; renewed if it is too old.
  ///
  /// - Throws: `NetworkError.signedOut`, or why it could not be renewed.
  public func accessToken() async throws -> String { try await configured().keeper.token().text }

  /// Calls a function of the backend as the signed-in user.
  ///
  /// A read, and a mutation that carries a client id, is sent once more if the connection breaks,
  /// since it is idempotent. A rate-limited mutation is sent again after the time that the server
  /// names, and `waits` reports it.
  ///
  /// - Parameter clientID: The one that repetitions of this call share; of mutations only.
  /// - Throws: `NetworkError` or `CancellationError`.
  @concurrent public func call<F: RemoteFunction>(
    _ function: F, clientID: UUID? = nil
  ) async throws -> F.Output {
    let call = FunctionCall(function, clientID: clientID)
    let answer =
      function is any RemoteMutation
      ? try await answerAfterWaiting(to: call) : try await answer(to: call)
    if F.Output.self == NoContent.self, let nothing = NoContent() as? F.Output { return nothing }
    if answer.status == 204, let requested = F.Output.self as? any RequestedOutput.Type,
      let unsaid = requested.unsaid as? F.Output
    {
      return unsaid
    }
    return try answer.decoded(F.Output.self)
  }

  @available(*, unavailable, message: "A list is read row by row: use `page`.")
  public func call<F: RemoteFunction, Row>(
    _ function: F
  ) async throws -> [Row] where F.Output == [Row] { [] }

  /// Calls a function that returns rows. Invalid rows are skipped.
  ///
  /// - Parameter offset: How many rows of the result are skipped, for a function that does not
  ///   take an offset itself.
  /// - Returns: An empty page after the last row.
  /// - Throws: `NetworkError` or `CancellationError`.
  @concurrent public func page<F: RemoteFunction, Row: Decodable & Sendable>(
    _ function: F, offset: Int = 0
  ) async throws -> Page<Row> where F.Output == [Row] {
    let answer: ServerAnswer
    do {
      answer = try await self.answer(
        to: FunctionCall(function), offset: offset, headers: [("Prefer", "count=exact")])
    } catch NetworkError.refused(_, status: 416) where offset > 0 {
      // The list ends before this page.
      return Page(rows: [], received: 0, isCutShort: false)
    }
    let rows = try answer.decoded([Readable<Row>].self)
    let page = Page(
      rows: rows.compactMap(\.row), received: rows.count,
      isCutShort: ContentRange(answer.headers["content-range"]).map { !$0.isWhole })
    if page.rows.count < rows.count, unreadable.withLock({ $0.insert(F.name).inserted }) {
      log.warning("\(F.name) — rows that cannot be read: \(rows.count - page.rows.count)")
    }
    return page
  }

  /// Retries a mutation after the time that a 429 names, within `longestWait` and `patience`.
  private func answerAfterWaiting<F: RemoteFunction>(
    to call: FunctionCall<F>
  ) async throws -> ServerAnswer {
    let connection = try configured()
    var patience = SupabaseClient.patience
    while true {
      do {
        return try await answer(to: call)
      } catch NetworkError.rateLimited(let wait?)
        where wait <= min(SupabaseClient.longestWait, patience)
      {
        // At least a second, so that zero does not cause a busy loop.
        let pause = max(wait, .seconds(1))
        patience -= pause
        connection.waits.send(pause)
        try await DispatchSleep.for(pause)
      }
    }
  }

  private func answer<F: RemoteFunction>(
    to call: FunctionCall<F>, offset: Int = 0, headers: [(String, String)] = []
  ) async throws -> ServerAnswer {
    let connection = try configured()
    let isMutation = call.function is any RemoteMutation
    let query = offset > 0 ? "?offset=\(offset)" : ""
    var request = ServerConnection.Request(path: "/rest/v1/rpc/\(F.name)\(query)")
    request.headers = headers
    request.body = try WireJSON.encode(call)
    request.isRepeatable = !isMutation || call.clientID != nil
    if F.Output.self == NoContent.self { request.success = .nothing }
    if let requested = F.Output.self as? any RequestedOutput.Type {
      request.success = .jsonOrNothing
      request.headers.append(("Prefer", requested.preference))
    }
    return isMutation
      ? try await connection.sendAsPerson(request)
      : try await connection.reads.answer(
        to: JoinedReads.Read(function: F.name, offset: offset, alone: request), over: connection)
  }

  /// Fetches a server's greeting from its socket.
  static func greeting(
    of endpoint: ServerEndpoint, transport: Transport
  ) async throws -> ServerGreeting {
    try await ServerAnswers().send(
      HTTPCall(
        endpoint: endpoint, method: .get, path: ServerGreeting.path, timeout: .seconds(2)),
      as: .json, over: transport
    ).decoded(ServerGreeting.self)
  }

  /// Asks a server whether it is ready, without a key.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public static func checkHealth(
    of url: ServerURL, timeout: Duration, transport: Transport = .live
  ) async throws {
    _ = try await ServerAnswers().send(
      HTTPCall(endpoint: .url(url), method: .get, path: "/health", timeout: timeout),
      as: .json, over: transport)
  }
}

/// A row; nil if it is invalid.
private struct Readable<Row: Decodable>: Decodable {
  let row: Row?

  init(from decoder: any Decoder) { row = try? Row(from: decoder) }
}

extension SupabaseClient {
  /// Joins a channel as the signed-in user, until `leaveChannel`; another call takes over its
  /// events.
  ///
  /// - Parameter configuration: What to ask for, given the user's id.
  /// - Throws: `NetworkError.notConfigured` or `.signedOut`.
  package func joinChannel(
    _ topic: String, _ configuration: (UUID) -> ChannelConfiguration
  ) async throws -> AsyncStream<ChannelEvent> {
    let connection = try configured()
    guard let session = await connection.keeper.current() else { throw NetworkError.signedOut }
    return await connection.realtime.join(topic, configuration(session.user.id))
  }

  package func leaveChannel(_ topic: String) async { await realtime?.leave(topic) }
}

/// The client of one service: writes what became of each call beside the call, with the service's
/// label.
public struct ServiceClient: Sendable {
  public let client: SupabaseClient
  let log: Logger

  /// Calls a function; see `SupabaseClient.call`.
  public func call<F: RemoteFunction>(
    _ function: F, clientID: UUID? = nil
  ) async throws -> F.Output {
    do {
      let output = try await client.call(function, clientID: clientID)
      log.info("\(F.logName) — answered")
      return output
    } catch {
      log.info("\(F.logName) — failed: \(error.logLabel)")
      throw error
    }
  }

  /// Calls a function that returns rows; see `SupabaseClient.page`.
  public func page<F: RemoteFunction, Row: Decodable & Sendable>(
    _ function: F, offset: Int = 0
  ) async throws -> Page<Row> where F.Output == [Row] {
    do {
      let page = try await client.page(function, offset: offset)
      log.info("\(F.logName) — rows: \(page.rows.count)")
      return page
    } catch {
      log.info("\(F.logName) — failed: \(error.logLabel)")
      throw error
    }
  }

  @available(*, unavailable, message: "A list is read row by row: use `page`.")
  public func call<F: RemoteFunction, Row>(
    _ function: F
  ) async throws -> [Row] where F.Output == [Row] { [] }
}

extension SupabaseClient {
  /// The same client, for a service that logs its calls.
  public func logging(by log: Logger) -> ServiceClient { ServiceClient(client: self, log: log) }
}

extension RemoteFunction {
  /// The name as services write it: `fetchFriends` for `fetch_friends`.
  fileprivate static var logName: String {
    let words = name.split(separator: "_")
    return words.dropFirst().reduce(words.first.map(String.init) ?? "") {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
  }
}

/// Keeps the client id of a call until its response arrives, so that the same call after a lost
/// response is sent with the same id and counts once.
package struct UnansweredCall<Call: Equatable> {
  private var pending: (call: Call, clientID: UUID)?

  package init() {}

  /// The client id to send a call with: a new one unless the same call has no response yet.
  package mutating func clientID(for call: Call) -> UUID {
    if let pending, pending.call == call { return pending.clientID }
    let clientID = UUID()
    pending = (call, clientID)
    return clientID
  }

  /// Records that the response arrived.
  package mutating func answered() { pending = nil }
}

extension Error {
  /// Whether the error need not be shown: the work was cancelled, or the session ended meanwhile.
  public func isExpectedError() -> Bool {
    switch self {
    case is CancellationError: true
    case let error as NetworkError: error == .signedOut
    case let error as AuthError: error == .signedOut
    default: false
    }
  }
}
